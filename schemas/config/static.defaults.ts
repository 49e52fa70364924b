export const staticDefaults = {};
