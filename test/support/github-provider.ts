import { createHash, randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { JSON_TYPE, REGISTERED, serveProvider, type ProviderServer } from "./oauth-provider.ts";

/** A person with an account there. */
export interface GitHubPerson {
  id: number;
  login: string;
  name: string | null;
  avatar_url: string;
  emails: { email: string; primary: boolean; verified: boolean }[];
}

export interface GitHub extends ProviderServer {
  /** Who agrees at its page. */
  person: GitHubPerson;
  /** Secrets that it issued, for tests that search for them where they must not be. */
  secrets: string[];
}

interface Grant {
  redirectUri: string;
  challenge: string;
  person: GitHubPerson;
}

let last = 1000;

/** A new person, with one verified address. */
export function newGitHubPerson(email: string, change: Partial<GitHubPerson> = {}): GitHubPerson {
  last += 1;
  return {
    id: last,
    login: `octo${last}`,
    name: "Octo Cat",
    avatar_url: `https://avatars.example.com/u/${last}`,
    emails: [
      { email: "old@example.com", primary: false, verified: true },
      { email, primary: true, verified: true },
    ],
    ...change,
  };
}

/**
 * The four endpoints of GitHub that signing in takes, with its manners: refusals of the token endpoint have status 200 and
 * are a form unless JSON is asked for, its API wants a User-Agent, and a code that came with a challenge wants its verifier.
 * Sources: docs.github.com, "Authorizing OAuth apps", "Troubleshooting OAuth app access token request errors", "Getting
 * started with the REST API"; github.blog, 2025-07-14, on PKCE.
 */
export async function startGitHub(person: GitHubPerson): Promise<GitHub> {
  const codes = new Map<string, Grant>();
  const tokens = new Map<string, GitHubPerson>();
  const secrets: string[] = [];
  const newSecret = (prefix: string) => {
    const secret = prefix + randomBytes(16).toString("hex");
    secrets.push(secret);
    return secret;
  };

  function authorize(asked: URLSearchParams, response: ServerResponse) {
    const { client_id, redirect_uri = "", state = "", ...rest } = Object.fromEntries(asked);
    if (client_id !== REGISTERED.clientId || rest["code_challenge_method"] !== "S256") {
      response.writeHead(404).end();
      return;
    }
    const code = newSecret("");
    codes.set(code, {
      redirectUri: redirect_uri,
      challenge: rest["code_challenge"] ?? "",
      person: github.person,
    });
    const back = new URL(redirect_uri);
    back.search = new URLSearchParams({ code, state, iss: `${github.url}/login/oauth` }).toString();
    response.writeHead(302, { location: back.href }).end();
  }

  function exchange(form: Record<string, string>): Record<string, string> {
    const { client_id, client_secret, code = "", redirect_uri, code_verifier = "" } = form;
    if (client_id !== REGISTERED.clientId || client_secret !== REGISTERED.clientSecret) {
      return { error: "incorrect_client_credentials" };
    }
    const grant = codes.get(code);
    codes.delete(code);
    const challenge = createHash("sha256").update(code_verifier).digest("base64url");
    if (!grant || grant.challenge !== challenge) return { error: "bad_verification_code" };
    if (grant.redirectUri !== redirect_uri) return { error: "redirect_uri_mismatch" };
    const token = newSecret("gho_");
    tokens.set(token, grant.person);
    return { access_token: token, token_type: "bearer", scope: "read:user,user:email" };
  }

  async function answerToken(request: IncomingMessage, response: ServerResponse) {
    const answer = exchange(Object.fromEntries(new URLSearchParams(await text(request))));
    if (request.headers.accept?.includes("json")) {
      response.writeHead(200, JSON_TYPE).end(JSON.stringify(answer));
    } else {
      const form = { "content-type": "application/x-www-form-urlencoded" };
      response.writeHead(200, form).end(new URLSearchParams(answer).toString());
    }
  }

  function answerApi(path: string, request: IncomingMessage, response: ServerResponse) {
    if (!request.headers["user-agent"]) {
      response.writeHead(403).end("Request forbidden by administrative rules.");
      return;
    }
    const who = tokens.get(request.headers.authorization?.replace("Bearer ", "") ?? "");
    if (!who) {
      response.writeHead(401, JSON_TYPE).end('{"message":"Bad credentials"}');
      return;
    }
    const { emails, ...user } = who;
    response.writeHead(200, JSON_TYPE).end(JSON.stringify(path === "/api/v3/user" ? user : emails));
  }

  const server = await serveProvider(async (request, response, { pathname, searchParams }) => {
    if (pathname === "/login/oauth/authorize") authorize(searchParams, response);
    else if (pathname === "/login/oauth/access_token") await answerToken(request, response);
    else if (["/api/v3/user", "/api/v3/user/emails"].includes(pathname)) {
      answerApi(pathname, request, response);
    } else response.writeHead(404).end();
  });
  const github: GitHub = Object.assign(server, { person, secrets });
  return github;
}
