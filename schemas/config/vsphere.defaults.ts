export const vsphereDefaults = {
  vcenters: [],
  tagCategories: {},
  ipFamilies: ['ipv4' as const],
  addresses: {
    internalNetworks: [],
    externalNetworks: [],
    excludedFromInternal: [],
    excludedFromExternal: [],
  },
};
