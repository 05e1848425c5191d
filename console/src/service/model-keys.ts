import { WorkspaceError, type api } from "@agent-workspace/client";
import { workspace } from "./workspace.ts";

/** What a provider says of a key. */
export type KeyTest = api.TestModelKeyResponses[200];

type NewKey = NonNullable<api.CreateModelKeyData["body"]>;

/** Whether a model is the scripted one, which does not think. */
export const isDemo = (id: string): boolean => id.replace(/^builtin\//u, "") === "demo";

/** Asks the provider about a stored key. */
export const testModelKey = (id: string): Promise<KeyTest> =>
  workspace.request("POST", "/api/secrets/api-keys/{model_key}/test", { path: { model_key: id } });

/** Stores a key of a provider and asks the provider about it. A stored key that cannot be tested stays. */
export async function addModelKey(body: NewKey): Promise<{ id: string; test: KeyTest }> {
  const { key_id: id } = await workspace.request("POST", "/api/secrets/api-keys", { body });
  try {
    return { id, test: await testModelKey(id) };
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
    const message = `This key could not be checked: ${error.detail}`;
    return { id, test: { outcome: "unknown", message, models: [] } };
  }
}

/** Removes a stored key. */
export const deleteModelKey = (id: string) =>
  workspace.request("DELETE", "/api/secrets/api-keys/{model_key}", { path: { model_key: id } });
