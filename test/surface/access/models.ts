import type { Rows } from "./row.ts";

/** Own keys of model providers, models to choose from, and agents that use them. */
export const MODELS: Rows = {
  "GET /api/secrets/api-keys": { admits: "person" },
  "POST /api/secrets/api-keys": { admits: "person" },
  "GET /api/secrets/api-keys/{model_key}": { admits: "person", stranger: 404, viewer: 404 },
  "PUT /api/secrets/api-keys/{model_key}": { admits: "person", stranger: 404, viewer: 404 },
  "DELETE /api/secrets/api-keys/{model_key}": { admits: "person", stranger: 404, viewer: 404 },
  "GET /api/secrets/providers": { admits: "person" },
  "GET /api/secrets/providers/custom": { admits: "person" },
  "POST /api/secrets/providers/custom": { admits: "person" },
  "PUT /api/secrets/providers/custom/{model_provider}": { admits: "person", stranger: 404, viewer: 404 },
  "DELETE /api/secrets/providers/custom/{model_provider}": { admits: "person", stranger: 404, viewer: 404 },
  "GET /api/secrets/model-preferences": { admits: "person" },
  "PUT /api/secrets/model-preferences": { admits: "person", viewer: 403 },
  "GET /api/marketplace/models": { admits: "person" },
  "POST /api/marketplace/models/custom": { admits: "person" },
  "DELETE /api/marketplace/models/custom/{added_model}": { admits: "person", stranger: 404, viewer: 404 },
  "GET /api/agents": { admits: "person or key: agent.view" },
  "POST /api/agents": { admits: "person or key: agent.manage", viewer: 403, project: true },
  "GET /api/agents/{agent}": { admits: "person or key: agent.view", stranger: 404 },
  "PATCH /api/agents/{agent}": {
    admits: "person or key: agent.manage",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "DELETE /api/agents/{agent}": {
    admits: "person or key: agent.manage",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "POST /api/marketplace/agents/{agent}/select-model": { admits: "person", stranger: 404, viewer: 403 },
};
