import { z } from "zod";
import { beginPasskey } from "#src/domain/people/passkeys/index.ts";
import { hostCookie } from "#src/http/cookies.ts";
import { endpoint, Reply } from "#src/http/endpoint.ts";
import { COOKIE, PASSKEYS_PATH, PROOF, ProofBody, proofIn } from "./passkey.ts";

const Credential = z.object({
  type: z.literal("public-key"),
  id: z.string(),
  transports: z.array(z.string()),
});

export const beginMyPasskey = endpoint({
  operationId: "beginMyPasskey",
  method: "post",
  path: `${PASSKEYS_PATH}/options`,
  summary: "Begin to add a passkey",
  description: `Returns the argument of \`PublicKeyCredential.parseCreationOptionsFromJSON\`, and sets a cookie that the addition needs. Both are good once, for five minutes, in this session. ${PROOF}`,
  tag: "Accounts",
  access: { user: "any" },
  example: {},
  body: ProofBody,
  refusals: [400, 403, 429, 501],
  response: {
    status: 200,
    schema: z
      .object({
        rp: z.object({ id: z.string(), name: z.string() }),
        user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
        challenge: z.string(),
        pubKeyCredParams: z.array(z.object({ type: z.literal("public-key"), alg: z.int() })),
        timeout: z.int().describe("Milliseconds"),
        excludeCredentials: z.array(Credential).describe("Passkeys that the person has already"),
        authenticatorSelection: z.object({
          residentKey: z.literal("required"),
          requireResidentKey: z.literal(true),
          userVerification: z.literal("required"),
        }),
        attestation: z.literal("none"),
      })
      .meta({ id: "PasskeyCreationOptions" }),
  },
  async handler({ services, caller, body, client }) {
    const { options, cookie } = await beginPasskey(services, caller, proofIn(body), client);
    const { value, maxAgeSeconds } = cookie;
    return new Reply(options, {
      "Set-Cookie": hostCookie(services.config, COOKIE, value, maxAgeSeconds),
      "Cache-Control": "no-store",
    });
  },
});
