import { z } from "zod";
import { beginDeviceSignIn } from "#src/domain/people/device-sign-in/index.ts";
import { endpoint, Reply } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";

export const beginDevice = endpoint({
  operationId: "beginDeviceSignIn",
  method: "post",
  path: "/api/auth/device/code",
  summary: "Begin a device sign-in",
  description:
    "For programs without a browser (RFC 8628). Show the user code and the address, and ask `device/token` every `interval` seconds.",
  tag: "Sessions",
  access: "visitors",
  body: z.object({
    client_name: text({ min: 1, max: 100, trim: true })
      // Control characters, and signs that reorder or hide text, could make a name look like another.
      .refine(
        (name) => !/[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]/u.test(name),
        "must not contain control characters",
      )
      .describe("Name of the program and the computer, as the person sees it"),
  }),
  example: { client_name: "workspace on laptop" },
  bodyTypes: ["json", "form"],
  refusals: [400, 429],
  response: {
    status: 200,
    schema: z
      .object({
        device_code: z.string().describe("Secret of the program; works once"),
        user_code: z.string().describe("The person enters it, `BCDF-GHJK`"),
        verification_uri: z.url().describe("Page on which the person enters the code"),
        verification_uri_complete: z.url().describe("The same page, with the code in the fragment"),
        expires_in: z.int().describe("Seconds for which both codes are valid"),
        interval: z.int().describe("Least seconds between two requests to `device/token`"),
      })
      .meta({ id: "DeviceSignIn" }),
  },
  async handler({ services, body, client }) {
    const begun = await beginDeviceSignIn(services, body.client_name, client);
    return new Reply(
      {
        device_code: begun.deviceCode,
        user_code: begun.userCode,
        verification_uri: begun.verificationUri,
        verification_uri_complete: begun.verificationUriComplete,
        expires_in: begun.expiresIn,
        interval: begun.interval,
      },
      { "Cache-Control": "no-store" },
    );
  },
});
