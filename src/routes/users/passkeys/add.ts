import { z } from "zod";
import { addPasskey } from "#src/domain/people/passkeys/index.ts";
import { cookieOf, hostCookie } from "#src/http/cookies.ts";
import { endpoint, Reply } from "#src/http/endpoint.ts";
import { base64Url, CredentialId } from "#src/http/web-authn.ts";
import { COOKIE, describePasskey, Passkey, PasskeyName, PASSKEYS_PATH } from "./passkey.ts";

/** Browsers know new ones before we do. */
const Transport = z.string().regex(/^[a-z-]{1,32}$/u, "must be a transport of WebAuthn");

export const addMyPasskey = endpoint({
  operationId: "addMyPasskey",
  method: "post",
  path: PASSKEYS_PATH,
  summary: "Add a passkey",
  description:
    "One that the browser has made with the options of `…/options`, whose cookie it needs. The person is notified by mail.",
  tag: "Accounts",
  access: { user: "any" },
  example: {
    name: "Laptop",
    credential: {
      id: "Y3JlZGVudGlhbA",
      response: {
        clientDataJSON: "eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0",
        attestationObject: "YXR0ZXN0YXRpb24",
        transports: ["internal"],
      },
    },
  },
  body: z.object({
    name: PasskeyName,
    credential: z
      .object({
        id: CredentialId,
        response: z.object({
          clientDataJSON: base64Url(),
          attestationObject: base64Url(),
          transports: z.array(Transport).max(10).default([]),
        }),
      })
      .describe("`PublicKeyCredential.toJSON()` of the browser"),
  }),
  refusals: [400, 409, 501],
  response: { status: 201, schema: Passkey },
  async handler({ services, caller, body, request, client }) {
    const { config } = services;
    const { name, credential } = body;
    const { transports, ...response } = credential.response;
    const added = {
      name,
      credential: { id: credential.id, response },
      transports,
      cookie: cookieOf(request, config, COOKIE),
    };
    const passkey = await addPasskey(services, caller, added, client);
    return new Reply(describePasskey(passkey), { "Set-Cookie": hostCookie(config, COOKIE, "", 0) });
  },
});
