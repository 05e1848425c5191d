import { z } from "zod";
import { authenticateUser } from "#src/domain/access/permissions/index.ts";
import { describeUser, requireAccount } from "#src/domain/people/accounts/index.ts";
import { verifyEmail } from "#src/domain/people/mailed-links/index.ts";
import { accessTokenOf } from "#src/http/credentials.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";
import { User } from "../users/user.ts";

export const verification = endpoint({
  operationId: "verifyEmail",
  method: "post",
  path: "/api/auth/verify",
  aliases: ["/auth/verify"],
  summary: "Verify an email address",
  description: "With the token of a mailed link, which works once.",
  tag: "Accounts",
  access: "public",
  example: { token: "the token of the mail" },
  body: z.object({ token: text({ max: 1000 }) }),
  response: { status: 200, schema: User },
  async handler({ services, request, body, client }) {
    const accessToken = accessTokenOf(request, services.config);
    const visitor = accessToken === undefined ? undefined : await authenticateUser(services, accessToken);
    const userId = await verifyEmail(services, { token: body.token, byUserId: visitor?.userId }, client);
    return describeUser(await requireAccount(services, userId));
  },
});
