import { z } from "zod";
import { signInWithPasskey } from "#src/domain/people/passkeys/index.ts";
import { cookieOf, hostCookie, sessionCookies } from "#src/http/cookies.ts";
import { endpoint, Reply } from "#src/http/endpoint.ts";
import { base64Url, CredentialId } from "#src/http/web-authn.ts";
import { loggedIn, LoggedIn } from "../login-answer.ts";
import { COOKIE } from "./begin.ts";

export const signIn = endpoint({
  operationId: "signInWithPasskey",
  method: "post",
  path: "/api/auth/passkeys/sign-in",
  summary: "Sign in with a passkey",
  description:
    "Sets the session's cookies. No code is needed: the authenticator has verified the person. Needs the cookie that `…/options` set.",
  tag: "Accounts",
  access: "public",
  example: {
    credential: {
      id: "Y3JlZGVudGlhbA",
      response: {
        clientDataJSON: "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
        authenticatorData: "YXV0aGVudGljYXRvcg",
        signature: "c2lnbmF0dXJl",
        userHandle: "dXNlcg",
      },
    },
  },
  body: z.object({
    credential: z
      .object({
        id: CredentialId,
        response: z.object({
          clientDataJSON: base64Url(),
          authenticatorData: base64Url(),
          signature: base64Url(),
          userHandle: base64Url(100).nullish(),
        }),
      })
      .describe("`PublicKeyCredential.toJSON()` of the browser"),
  }),
  refusals: [400, 401, 409, 429, 501],
  response: { status: 200, schema: LoggedIn },
  async handler({ services, body, request, client }) {
    const { config } = services;
    const { id, response } = body.credential;
    const { userHandle, ...signed } = response;
    const presented = {
      assertion: { id, response: signed },
      userHandle: userHandle ?? undefined,
      cookie: cookieOf(request, config, COOKIE),
    };
    const session = await signInWithPasskey(services, presented, client);
    const { "Set-Cookie": cookies } = sessionCookies(config, session);
    return new Reply(loggedIn(session), { "Set-Cookie": [...cookies, hostCookie(config, COOKIE, "", 0)] });
  },
});
