import { createRemoteJWKSet, customFetch, decodeJwt, jwtVerify, type JWTVerifyGetKey } from "jose";
import * as oauth from "oauth4webapi";
import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { authorizationUrl, clientOf, requestOptions, spendCode, type Registration } from "./code-flow.ts";
import { failingAs, OAuthFailure } from "./failure.ts";
import { profileOf } from "./profile.ts";
import type { OAuthProvider } from "./provider.ts";
import type { ProviderFetch } from "./provider-fetch.ts";

const SCOPE = "openid email profile";
/** How long an isolate caches the discovery document. */
const DISCOVERY_MAX_AGE_MS = 60 * 60 * 1000;
/** Asymmetric signature algorithms. Google signs with RS256. */
const ALGORITHMS = ["RS256", "PS256", "ES256", "EdDSA"];

/** Only the fields that are read. Source: Google, "OpenID Connect", "An ID token's payload". */
const maybe = z.string().optional().catch(undefined);
const Claims = z.object({
  sub: z.string().min(1).max(255),
  email: maybe,
  email_verified: z.unknown().optional(),
  name: maybe,
  picture: maybe,
});
const TokenAnswer = z.object({ id_token: z.string() });

interface Discovered {
  server: oauth.AuthorizationServer;
  keys: JWTVerifyGetKey;
  at: number;
}

/** Google, by OpenID Connect; `issuer` may be any OpenID Connect provider. */
export function createGoogle(
  registration: Registration,
  { issuer, fetch }: { issuer: string; fetch: ProviderFetch },
): OAuthProvider {
  const client = clientOf(registration);
  let known: Discovered | undefined;

  // Caches the response rather than its promise: in Workers a request must not wait for another request's I/O.
  const discover = () =>
    failingAs("Google's discovery document", async () => {
      if (known && Date.now() - known.at < DISCOVERY_MAX_AGE_MS) return known;
      const url = new URL(issuer);
      const response = await oauth.discoveryRequest(url, requestOptions(fetch));
      const server = await oauth.processDiscoveryResponse(url, response);
      const keys = createRemoteJWKSet(new URL(server.jwks_uri ?? ""), { [customFetch]: fetch });
      known = { server, keys, at: Date.now() };
      return known;
    });

  return {
    async authorizationUrl(flow) {
      const { server } = await discover();
      return failingAs("Google's discovery document", () =>
        authorizationUrl(server, registration, SCOPE, flow, { nonce: flow.nonce }),
      );
    },
    async identify(callback, flow) {
      const { server, keys } = await discover();
      const response = await failingAs("Google's token endpoint", () =>
        spendCode(server, registration, { callback, flow, fetch }),
      );
      return failingAs("Google's ID token", async () => {
        const named = namedAs(server, await response.clone().text());
        const checks = { expectedNonce: flow.nonce, requireIdToken: true };
        const answer = await oauth.processAuthorizationCodeResponse(named, client, response, checks);
        // The library trusts the token endpoint's connection; the signature is checked all the same.
        const { payload } = await jwtVerify(answer.id_token ?? "", keys, {
          issuer: named.issuer,
          audience: registration.clientId,
          algorithms: ALGORITHMS,
        });
        const claims = Claims.safeParse(payload).data;
        if (!claims) throw new OAuthFailure("its claims are not a profile");
        return profileOf({
          accountId: claims.sub,
          email: claims.email_verified === true ? claims.email : undefined,
          name: claims.name,
          avatarUrl: claims.picture,
        });
      });
    },
  };
}

/**
 * Returns the server with the issuer that its ID token uses: Google's may omit the scheme (OpenID Connect Core,
 * 15.6.2). The token is not verified yet; this only chooses which of the two names to expect.
 */
function namedAs(server: oauth.AuthorizationServer, answer: string): oauth.AuthorizationServer {
  const bare = server.issuer.replace(/^https?:\/\//u, "");
  const token = safeParseJson(answer, TokenAnswer)?.value.id_token;
  return token !== undefined && issuerIn(token) === bare ? { ...server, issuer: bare } : server;
}

function issuerIn(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}
