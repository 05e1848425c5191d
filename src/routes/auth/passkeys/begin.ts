import { z } from "zod";
import { beginPasskeySignIn } from "#src/domain/people/passkeys/index.ts";
import { hostCookie } from "#src/http/cookies.ts";
import { endpoint, Reply } from "#src/http/endpoint.ts";

/** What the browser keeps until the sign-in. */
export const COOKIE = "passkey_challenge";

export const beginSignInWithPasskey = endpoint({
  operationId: "beginPasskeySignIn",
  method: "post",
  path: "/api/auth/passkeys/options",
  summary: "Begin a sign-in with a passkey",
  description:
    "Returns the argument of `PublicKeyCredential.parseRequestOptionsFromJSON`, and sets a cookie that the sign-in needs. Both are good once, for five minutes.",
  tag: "Accounts",
  access: "public",
  refusals: [501],
  response: {
    status: 200,
    schema: z
      .object({
        rpId: z.string(),
        challenge: z.string(),
        timeout: z.int().describe("Milliseconds"),
        allowCredentials: z.array(z.never()).describe("Empty: the person chooses the passkey"),
        userVerification: z.literal("required"),
      })
      .meta({ id: "PasskeyRequestOptions" }),
  },
  async handler({ services }) {
    const { options, cookie } = await beginPasskeySignIn(services);
    return new Reply(options, {
      "Set-Cookie": hostCookie(services.config, COOKIE, cookie.value, cookie.maxAgeSeconds),
      "Cache-Control": "no-store",
    });
  },
});
