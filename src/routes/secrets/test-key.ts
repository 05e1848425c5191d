import { z } from "zod";
import { testKey } from "#src/domain/models/model-keys/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { KeyParams } from "./key.ts";

export const testModelKey = endpoint({
  operationId: "testModelKey",
  method: "post",
  path: "/api/secrets/api-keys/:model_key/test",
  summary: "Test a model key",
  description:
    "Asks the provider, by a call that costs nothing, whether it takes the key. At most 20 times in 5 minutes.",
  tag: "Own model keys",
  access: { user: "any" },
  params: KeyParams,
  refusals: [403, 429],
  response: {
    status: 200,
    schema: z.object({
      outcome: z
        .enum(["works", "refused", "unknown"])
        .describe("`unknown` when the provider did not answer, or its answer says nothing about the key"),
      message: z.string().describe("The outcome as a sentence for a person"),
      models: z
        .array(z.string())
        .describe("Ids of the models that the provider lists, for messages and agents; the first 1,000"),
    }),
  },
  async handler({ services, caller, params }) {
    const which = { userId: caller.userId, id: params.model_key };
    const { outcome, sentence, models } = await testKey(services, which);
    return { outcome, message: sentence, models };
  },
});
