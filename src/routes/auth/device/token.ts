import { z } from "zod";
import { pollDeviceSignIn } from "#src/domain/people/device-sign-in/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";
import { AppError } from "#src/lib/errors.ts";
import { answerTokens, ProgramTokens } from "./tokens.ts";

const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:device_code";

export const deviceToken = endpoint({
  operationId: "getDeviceToken",
  method: "post",
  path: "/api/auth/device/token",
  summary: "Finish a device sign-in",
  description:
    "Returns the session's tokens, once, after a person has approved. Until then 400 with `error`: `authorization_pending`, `slow_down`, `access_denied`, `expired_token` or `invalid_grant` (RFC 8628). Sets no cookie.",
  tag: "Sessions",
  errorStyle: "oauth",
  access: "visitors",
  body: z.object({
    device_code: text({ min: 1, max: 1000 }),
    grant_type: text({ max: 200 }).nullish().describe(`\`${GRANT_TYPE}\`, if given`),
  }),
  example: { device_code: "4b8c…", grant_type: GRANT_TYPE },
  bodyTypes: ["json", "form"],
  refusals: [400, 409, 429],
  response: { status: 200, schema: ProgramTokens },
  async handler({ services, body, client }) {
    if (body.grant_type && body.grant_type !== GRANT_TYPE) {
      throw new AppError("invalid_input", `grant_type must be ${GRANT_TYPE}`, {
        extra: { error: "unsupported_grant_type" },
      });
    }
    return answerTokens(services, await pollDeviceSignIn(services, body.device_code, client));
  },
});
