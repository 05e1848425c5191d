import { EDITOR, OF_EDITORS, OWN, PERSON, anyone, changes, type Rows } from "./row.ts";

/** Own keys of model providers, models to choose from, and agents that use them. */
export const MODELS: Rows = {
  "GET /api/secrets/api-keys": PERSON,
  "POST /api/secrets/api-keys": PERSON,
  "GET /api/secrets/api-keys/{model_key}": OWN,
  "PUT /api/secrets/api-keys/{model_key}": OWN,
  "DELETE /api/secrets/api-keys/{model_key}": OWN,
  "GET /api/secrets/providers": PERSON,
  "GET /api/secrets/providers/custom": PERSON,
  "POST /api/secrets/providers/custom": PERSON,
  "PUT /api/secrets/providers/custom/{model_provider}": OWN,
  "DELETE /api/secrets/providers/custom/{model_provider}": OWN,
  "GET /api/secrets/model-preferences": PERSON,
  "PUT /api/secrets/model-preferences": EDITOR,
  "GET /api/marketplace/models": PERSON,
  "POST /api/marketplace/models/custom": PERSON,
  "DELETE /api/marketplace/models/custom/{added_model}": OWN,
  "GET /api/agents": anyone("agent.view"),
  "POST /api/agents": { admits: "person or key: agent.manage", viewer: 403, project: true },
  "GET /api/agents/{agent}": { admits: "person or key: agent.view", stranger: 404 },
  "PATCH /api/agents/{agent}": changes("agent.manage"),
  "DELETE /api/agents/{agent}": changes("agent.manage"),
  "POST /api/marketplace/agents/{agent}/select-model": OF_EDITORS,
};
