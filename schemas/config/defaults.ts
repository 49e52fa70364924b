import { cloudDefaults } from '../generated/defaults.ts';

/**
 * What holds when the configuration says nothing. Apart from the schema, so that a program without a configuration file
 * need not load one.
 */
export const defaultConfig = {
  registries: [],
  dockerConfigFiles: [],
  broker: {},
  deletion: {},
  interruption: {},
  ...cloudDefaults,
};
