import { z } from "zod";
import { describeUser, requireAccount } from "#src/domain/accounts/index.ts";
import { verifyEmail } from "#src/domain/mailed-links/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";
import { User } from "../users/user.ts";

export const verification = endpoint({
  method: "post",
  path: "/api/auth/verify",
  aliases: ["/auth/verify"],
  summary: "Prove an address by a mailed link, which works once",
  tag: "Accounts",
  access: "public",
  body: z.object({ token: text({ max: 1000 }) }),
  response: { status: 200, schema: User },
  async handler({ services, body, client }) {
    const userId = await verifyEmail(services, body.token, client);
    return describeUser(await requireAccount(services, userId));
  },
});
