import { z } from "zod";
import * as accounts from "#src/domain/people/accounts/index.ts";
import { sessionCookies } from "#src/http/cookies.ts";
import { endpoint, Reply } from "#src/http/endpoint.ts";
import { email, text } from "#src/http/schemas.ts";
import { User } from "../users/user.ts";
import { describeToken, Token } from "./tokens.ts";

/** Fields that are not listed, such as `is_superuser`, are ignored. */
const Body = z.object({
  email: email(),
  password: text({ max: 1000 }).describe("8 characters to 72 bytes, and not a common password"),
  username: text({ max: 50 })
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9._-]{2,49}$/u,
      "must be 3 to 50 letters, digits, dots, hyphens or underscores",
    )
    .nullish(),
  name: text({ min: 1, max: 100, trim: true }).nullish(),
});

export const register = endpoint({
  operationId: "register",
  method: "post",
  path: "/api/auth/register",
  aliases: ["/auth/register"],
  summary: "Register an account",
  description: "Also signs in. Outside production the first account becomes the administrator.",
  tag: "Accounts",
  access: "public",
  refusals: [409, 429],
  example: { email: "ada@example.com", password: "correct horse battery staple" },
  body: Body,
  response: {
    status: 201,
    schema: User.extend({ ...Token.shape, user: User }).meta({ id: "RegisteredUser" }),
  },
  async handler({ services, body, client }) {
    const { username, name, ...required } = body;
    const registration = { ...required, username: username ?? undefined, name: name ?? undefined };
    const { user, session } = await accounts.register(services, registration, client);
    const described = accounts.describeUser(user);
    return new Reply(
      { ...described, ...describeToken(session), user: described },
      sessionCookies(services.config, session),
    );
  },
});
