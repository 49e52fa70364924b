/* Generated from clouds/<name>/traits.ts by `npm run generate`. */
#pragma once
#define CLOUD_VARIABLE_PREFIXES "AWS_", "AZURE_", "IDENTITY_", "IMDS_", "MSAL_", "MSI_", \
    "DIGITALOCEAN_ACCESS_TOKEN", "DO_ACCESS_TOKEN", "CLOUDSDK_", "GCE_", "GCLOUD_", "GOOGLE_", \
    "KUBE_SIDECAR_", "METADATA_", "NO_GCE_", "OS_",
#define CLOUD_HOME_FILES "/.aws/config", "/.aws/credentials", \
    "/.config/gcloud/application_default_credentials.json", "/.config/openstack/clouds.yaml",
