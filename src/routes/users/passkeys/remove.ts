import { z } from "zod";
import { removePasskey } from "#src/domain/people/passkeys/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { PASSKEY_PATH, PasskeyParams, PROOF, ProofBody, proofIn } from "./passkey.ts";

export const removeMyPasskey = endpoint({
  operationId: "removeMyPasskey",
  method: "post",
  path: `${PASSKEY_PATH}/remove`,
  summary: "Remove a passkey",
  description: `It signs in no more; sessions that it began go on. The last way to sign in stays. The person is notified by mail. ${PROOF}`,
  tag: "Accounts",
  access: { user: "any" },
  params: PasskeyParams,
  example: {},
  body: ProofBody,
  refusals: [400, 403, 404, 409, 429],
  response: { status: 204, schema: z.null() },
  async handler({ services, caller, params, body, client }) {
    await removePasskey(services, caller, { id: params.passkey, ...proofIn(body) }, client);
    return null;
  },
});
