import { z } from "zod";
import { rotateWebhookSecret } from "#src/domain/programs/api-keys/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Moment } from "#src/http/schemas.ts";

export const rotateSecret = endpoint({
  operationId: "rotateApiKeySecret",
  method: "post",
  path: "/api/external-api-keys/:key/rotate-secret",
  aliases: ["/api/external/keys/:key/rotate-secret"],
  summary: "Rotate a callback secret",
  description:
    "Makes a new secret for the key's callbacks, which is returned only in this response. For 24 hours callbacks are signed with the previous secret as well: `webhook-signature` has both signatures. The key itself stays.",
  tag: "External keys",
  access: { user: "any" },
  params: z.object({ key: z.string() }),
  response: {
    status: 200,
    schema: z.object({
      key_id: z.uuid(),
      webhook_secret: z.string(),
      previous_secret_until: Moment.describe("When the previous secret signs no longer"),
    }),
  },
  async handler({ services, caller, params, client }) {
    const { key, webhookSecret } = await rotateWebhookSecret(services, caller.userId, params.key, client);
    const until = key.previousWebhookSecretUntil ?? new Date();
    return {
      key_id: key.id,
      webhook_secret: webhookSecret,
      previous_secret_until: until.toISOString(),
    };
  },
});
