export const digitaloceanDefaults = {
  /** Half a day. */
  registryLoginSeconds: 43_200,
};
