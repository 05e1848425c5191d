import { keys, useRead } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";

/** Names of what this area reads. All begin with the models, as a change of one changes which models there are. */
const modelKeys = {
  own: [...keys.models, "keys"],
  providers: [...keys.models, "providers"],
  custom: [...keys.models, "custom providers"],
};

export const useModelKeys = () =>
  useRead(modelKeys.own, (signal) => workspace.request("GET", "/api/secrets/api-keys", { signal }));

/** Providers that a key can be of. */
export const useProviders = () =>
  useRead(modelKeys.providers, (signal) => workspace.request("GET", "/api/secrets/providers", { signal }));

export const useCustomProviders = () =>
  useRead(modelKeys.custom, (signal) =>
    workspace.request("GET", "/api/secrets/providers/custom", { signal }),
  );
