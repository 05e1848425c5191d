export { credentialSecrets } from "./known-secrets.ts";
export { sealedSecrets } from "./queries.ts";
export { isHostingFailure } from "./hosting-failure.ts";
export { listProviders, type ListedProvider } from "./list-providers.ts";
export { HOSTING_FACTS, HOSTING_NAMES, requireHostingName, type HostingFacts } from "./provider-facts.ts";
export { listCredentials, showCredential, type ShownCredential } from "./show-credential.ts";
export { deleteCredential, storeCredential, updateCredential } from "./store-credential.ts";
export { testCredential } from "./test-credential.ts";
export { credentialsIn, type CredentialPlace } from "./queries.ts";
export {
  accessFor,
  credentialFor,
  firstOf,
  type CredentialDeps,
  type UsableCredential,
} from "./usable-credential.ts";
export { beginConnection, finishConnection } from "./connect-account.ts";
