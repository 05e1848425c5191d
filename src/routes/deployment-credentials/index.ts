import type { Endpoint } from "#src/http/endpoint.ts";
import { deleteCredential } from "./delete.ts";
import { listCredentialsOfPerson, listHostingProviders } from "./list.ts";
import { changeCredential, createCredential } from "./store.ts";
import { testCredential } from "./test.ts";

export const deploymentCredentialEndpoints: readonly Endpoint[] = [
  listHostingProviders,
  listCredentialsOfPerson,
  createCredential,
  changeCredential,
  deleteCredential,
  testCredential,
];
