import type { Endpoint } from "#src/http/endpoint.ts";
import { disconnectHost, putToken } from "./connection.ts";
import { getProviderStatus, getStatuses, listProviders } from "./list.ts";
import { authorizeHost, hostCallback } from "./oauth.ts";
import { getHosted, listHosted, listHostedBranches } from "./repositories.ts";

export const gitProviderEndpoints: readonly Endpoint[] = [
  listProviders,
  getStatuses,
  getProviderStatus,
  authorizeHost,
  hostCallback,
  putToken,
  disconnectHost,
  listHosted,
  getHosted,
  listHostedBranches,
];
