import * as oauth from "oauth4webapi";
import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { authorizationUrl, clientOf, spendCode, type Registration } from "./code-flow.ts";
import { failingAs, OAuthFailure } from "./failure.ts";
import { profileOf } from "./profile.ts";
import type { OAuthProvider } from "./provider.ts";
import type { ProviderFetch } from "./provider-fetch.ts";

const SCOPE = "user:email read:user";

/** Only the fields that are read. Source: GitHub REST API, "Get the authenticated user" and "List email addresses". */
const User = z.object({
  id: z.int(),
  login: z.string(),
  name: z.string().nullish(),
  avatar_url: z.string().nullish(),
});
const Emails = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));

/**
 * GitHub, or a GitHub Enterprise Server. It supports OAuth without OpenID Connect, so the person's identity comes from
 * its API.
 */
export function createGitHub(
  registration: Registration,
  { baseUrl, apiBaseUrl, fetch }: { baseUrl: string; apiBaseUrl: string; fetch: ProviderFetch },
): OAuthProvider {
  // GitHub's value of `iss` in its callbacks. Source: docs.github.com, "GitHub authentication discovery endpoints".
  const issuer = `${baseUrl}/login/oauth`;
  const server = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/access_token`,
  };

  async function read<T>(path: string, schema: z.ZodType<T>, token: string): Promise<T> {
    const response = await fetch(apiBaseUrl + path, {
      headers: {
        authorization: `Bearer ${token}`,
        accept: "application/vnd.github+json",
        "x-github-api-version": "2022-11-28",
      },
    });
    const parsed = response.status === 200 ? safeParseJson(await response.text(), schema) : undefined;
    if (!parsed) throw new OAuthFailure(`${path} returned ${response.status} and no profile`);
    return parsed.value;
  }

  return {
    authorizationUrl: (flow) => authorizationUrl(server, registration, SCOPE, flow),
    async identify(callback, flow) {
      const token = await failingAs("GitHub's token endpoint", async () => {
        const response = await spendCode(server, registration, { callback, flow, fetch });
        const answer = await oauth.processAuthorizationCodeResponse(server, clientOf(registration), response);
        return answer.access_token;
      });
      return failingAs("GitHub's API", async () => {
        const [user, emails] = await Promise.all([
          read("/user", User, token),
          read("/user/emails?per_page=100", Emails, token),
        ]);
        return profileOf({
          accountId: String(user.id),
          email: emails.find((each) => each.primary && each.verified)?.email,
          name: user.name ?? user.login,
          avatarUrl: user.avatar_url,
        });
      });
    },
  };
}
