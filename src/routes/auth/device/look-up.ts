import { z } from "zod";
import { lookUpDeviceSignIn } from "#src/domain/people/device-sign-in/index.ts";
import { endpoint, Reply } from "#src/http/endpoint.ts";
import { Moment } from "#src/http/schemas.ts";
import { UserCode } from "./user-code.ts";

export const lookUpDevice = endpoint({
  operationId: "lookUpDeviceSignIn",
  method: "post",
  path: "/api/auth/device/lookup",
  summary: "Show a device sign-in",
  description: "The program that shows this code. Five unknown codes in an hour are the limit.",
  tag: "Sessions",
  access: { user: "any" },
  body: z.object({ user_code: UserCode }),
  example: { user_code: "BCDF-GHJK" },
  refusals: [404, 409, 410, 429],
  response: {
    status: 200,
    schema: z
      .object({
        client_name: z.string().describe("What the program calls itself; nothing has verified it"),
        ip_address: z.string().describe("Address from which the program asked"),
        created_at: Moment,
        expires_at: Moment,
      })
      .meta({ id: "AskingDevice" }),
  },
  async handler({ services, caller, body, client }) {
    const asking = await lookUpDeviceSignIn(services, caller, body.user_code, client);
    return new Reply(
      {
        client_name: asking.clientName,
        ip_address: asking.ipAddress,
        created_at: asking.createdAt.toISOString(),
        expires_at: asking.expiresAt.toISOString(),
      },
      { "Cache-Control": "no-store" },
    );
  },
});
