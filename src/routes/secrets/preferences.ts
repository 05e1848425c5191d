import { z } from "zod";
import { changePreference, readPreferences } from "#src/domain/models/model-keys/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";

const Preferences = z.object({ disabled_models: z.array(z.string()) }).meta({ id: "ModelPreferences" });

export const getModelPreferences = endpoint({
  operationId: "listModelPreferences",
  method: "get",
  path: "/api/secrets/model-preferences",
  summary: "List disabled models",
  description: "The models that the active team has switched off.",
  tag: "Models",
  access: { user: "any" },
  refusals: [404],
  response: { status: 200, schema: Preferences },
  handler: async ({ services, caller }) => ({ disabled_models: await readPreferences(services, caller) }),
});

export const setModelPreference = endpoint({
  operationId: "updateModelPreference",
  method: "put",
  path: "/api/secrets/model-preferences",
  summary: "Enable or disable a model",
  description: "Applies to the active team.",
  tag: "Models",
  access: { user: "any" },
  example: { model_id: "demo", enabled: true },
  body: z.object({ model_id: text({ min: 1, max: 200, trim: true }), enabled: z.boolean() }),
  refusals: [400, 403, 404],
  response: { status: 200, schema: Preferences },
  async handler({ services, caller, body }) {
    const wish = { modelId: body.model_id, isEnabled: body.enabled };
    return { disabled_models: await changePreference(services, caller, wish) };
  },
});
