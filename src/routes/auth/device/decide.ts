import { z } from "zod";
import { decideDeviceSignIn } from "#src/domain/people/device-sign-in/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { UserCode } from "./user-code.ts";

export const decideDevice = endpoint({
  operationId: "decideDeviceSignIn",
  method: "post",
  path: "/api/auth/device/decide",
  summary: "Decide a device sign-in",
  description:
    "Approving lets the program act as the caller, in a session of its own. Only the first decision counts: 409 for a second, 410 after ten minutes.",
  tag: "Sessions",
  access: { user: "any" },
  body: z.object({ user_code: UserCode, decision: z.enum(["approve", "deny"]) }),
  example: { user_code: "BCDF-GHJK", decision: "approve" },
  refusals: [404, 409, 410, 429],
  response: { status: 204, schema: z.null() },
  async handler({ services, caller, body, client }) {
    const { user_code: userCode, decision } = body;
    await decideDeviceSignIn(services, caller, { userCode, decision }, client);
    return null;
  },
});
