import type { Endpoint } from "#src/http/endpoint.ts";
import { changeModelKey, deleteModelKey, storeModelKey } from "./change-keys.ts";
import {
  addOwnProvider,
  changeOwnProvider,
  deleteOwnProvider,
  listOwnProviders,
} from "./custom-providers.ts";
import { listModelProviders } from "./list-providers.ts";
import { getModelPreferences, setModelPreference } from "./preferences.ts";
import { getModelKey, listModelKeys } from "./read-keys.ts";
import { testModelKey } from "./test-key.ts";

export const secretEndpoints: readonly Endpoint[] = [
  listModelKeys,
  storeModelKey,
  getModelKey,
  changeModelKey,
  deleteModelKey,
  testModelKey,
  listModelProviders,
  listOwnProviders,
  addOwnProvider,
  changeOwnProvider,
  deleteOwnProvider,
  getModelPreferences,
  setModelPreference,
];
