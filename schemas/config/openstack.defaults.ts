export const openstackDefaults = {
  scopes: [],
  regionInProviderId: false,
  publicNetworks: [],
  internalNetworks: [],
  addressSortOrder: [],
  ipv6: true,
};
