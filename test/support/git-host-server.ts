import { createHash, randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer, text } from "node:stream/consumers";
import type { GitServer } from "./git-server.ts";
import { JSON_TYPE, REGISTERED, serveProvider, type ProviderServer } from "./oauth-provider.ts";
import { passOn } from "./pass-on.ts";

export type GitHostKind = "github" | "gitlab" | "bitbucket";

export interface GitHostServer extends ProviderServer {
  /** Secrets that it issued, for tests that search for them where they must not be. */
  secrets: string[];
  /** A token that the account's owner makes. */
  newToken(): string;
  /** Access tokens that are granted from now on end after so many seconds; null for never. */
  lifetime: number | null;
  /** Access tokens so far are no good any more; refresh tokens are. */
  expireTokens(): void;
}

/** The paths in which the three differ. */
const PATHS: Record<GitHostKind, { authorize: string; token: string; api: string }> = {
  github: { authorize: "/login/oauth/authorize", token: "/login/oauth/access_token", api: "/api/v3" },
  gitlab: { authorize: "/oauth/authorize", token: "/oauth/token", api: "/api/v4" },
  bitbucket: { authorize: "/site/oauth2/authorize", token: "/site/oauth2/access_token", api: "/2.0" },
};

/** What git sends as the user name, beside a token as the password. */
const GIT_USERS: Record<GitHostKind, readonly string[]> = {
  github: ["x-access-token"],
  gitlab: ["oauth2"],
  bitbucket: ["x-token-auth", "x-bitbucket-api-token-auth"],
};

const EMAIL = "octo@example.com";

/**
 * A git host as far as connecting an account takes: the code flow with PKCE and refresh tokens that are good once, the API
 * that lists repositories, and repositories over http, all of which want a token; those of `git`, where one is given. Sources:
 * the hosts' own references of their REST APIs and of OAuth.
 */
export async function startGitHost(kind: GitHostKind, git?: GitServer): Promise<GitHostServer> {
  const paths = PATHS[kind];
  const codes = new Map<string, string>();
  const access = new Set<string>();
  const refresh = new Set<string>();
  const secrets: string[] = [];
  const newSecret = () => {
    const secret = randomBytes(20).toString("hex");
    secrets.push(secret);
    return secret;
  };

  function authorize(asked: URLSearchParams, response: ServerResponse) {
    const code = newSecret();
    codes.set(code, asked.get("code_challenge") ?? "");
    const back = new URL(asked.get("redirect_uri") ?? "");
    back.search = new URLSearchParams({ code, state: asked.get("state") ?? "" }).toString();
    response.writeHead(302, { location: back.href }).end();
  }

  async function grant(request: IncomingMessage, response: ServerResponse) {
    const form = Object.fromEntries(new URLSearchParams(await text(request)));
    // Bitbucket wants the client's credentials in a header: each form-encoded before (RFC 6749, 2.3.1).
    const header = Buffer.from((request.headers.authorization ?? "").replace("Basic ", ""), "base64");
    const secret = kind === "bitbucket" ? header.toString().split(":")[1] : form["client_secret"];
    const known = decodeURIComponent(secret ?? "") === REGISTERED.clientSecret;
    const challenge = createHash("sha256")
      .update(form["code_verifier"] ?? "")
      .digest("base64url");
    const code = form["code"] ?? "";
    const isGood =
      form["grant_type"] === "refresh_token"
        ? refresh.delete(form["refresh_token"] ?? "")
        : codes.get(code) === challenge && codes.delete(code);
    if (!known || !isGood) {
      response.writeHead(400, JSON_TYPE).end(JSON.stringify({ error: "invalid_grant" }));
      return;
    }
    const [token, next] = [newSecret(), newSecret()];
    access.add(token);
    refresh.add(next);
    const expires = host.lifetime === null ? {} : { expires_in: host.lifetime, refresh_token: next };
    const scope = kind === "bitbucket" ? { scopes: "account repository" } : { scope: "repo" };
    const answer = { access_token: token, token_type: "bearer", ...scope, ...expires };
    response.writeHead(200, JSON_TYPE).end(JSON.stringify(answer));
  }

  function answerApi(path: string, request: IncomingMessage, response: ServerResponse) {
    const given = request.headers.authorization ?? "";
    const basic = Buffer.from(given.replace("Basic ", ""), "base64").toString();
    const token = given.startsWith("Basic ") ? basic.replace(`${EMAIL}:`, "") : given.replace("Bearer ", "");
    const body = access.has(token) ? bodiesOf(kind, host.url)[path] : undefined;
    const status = access.has(token) ? (body === undefined ? 404 : 200) : 401;
    response.writeHead(status, JSON_TYPE).end(JSON.stringify(body ?? { message: "no" }));
  }

  async function serveGit(request: IncomingMessage, response: ServerResponse) {
    const [user = "", token = ""] = Buffer.from(
      (request.headers.authorization ?? "").replace("Basic ", ""),
      "base64",
    )
      .toString()
      .split(":");
    if (!git || !GIT_USERS[kind].includes(user) || !access.has(token)) {
      response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
      return;
    }
    const answer = await passOn(new URL(git.url), request, await buffer(request));
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  }

  const server = await serveProvider(async (request, response, { pathname, searchParams }) => {
    if (pathname === paths.authorize) authorize(searchParams, response);
    else if (pathname === paths.token) await grant(request, response);
    else if (pathname.startsWith(`${paths.api}/`)) {
      answerApi(pathname.slice(paths.api.length), request, response);
    } else await serveGit(request, response);
  });
  const host: GitHostServer = Object.assign(server, {
    secrets,
    lifetime: null,
    newToken() {
      const token = newSecret();
      access.add(token);
      return token;
    },
    expireTokens: () => access.clear(),
  });
  return host;
}

/** What its API returns, by path. */
function bodiesOf(kind: GitHostKind, url: string): Record<string, unknown> {
  const clone = `${url}/octo/private.git`;
  if (kind === "github") {
    const repository = {
      id: 1,
      name: "private",
      full_name: "octo/private",
      owner: { login: "octo" },
      clone_url: clone,
      html_url: `${url}/octo/private`,
      default_branch: "main",
      private: true,
      stargazers_count: 7,
    };
    return {
      "/user": { login: "octo", email: EMAIL },
      "/user/repos": [repository],
      "/repos/octo/private": repository,
      "/repos/octo/private/branches": [{ name: "main", protected: true, commit: { sha: "a".repeat(40) } }],
    };
  }
  if (kind === "gitlab") {
    const project = {
      id: 1,
      path: "private",
      path_with_namespace: "octo/private",
      http_url_to_repo: clone,
      web_url: `${url}/octo/private`,
      default_branch: "main",
      visibility: "private",
      star_count: 7,
    };
    return {
      "/user": { username: "octo", email: EMAIL },
      "/projects": [project],
      "/projects/octo%2Fprivate": project,
      "/projects/octo%2Fprivate/repository/branches": [
        { name: "main", protected: true, commit: { id: "a".repeat(40) } },
      ],
    };
  }
  const repository = {
    uuid: "{1}",
    name: "private",
    full_name: "octo/private",
    is_private: true,
    mainbranch: { name: "main" },
    links: {
      html: { href: `${url}/octo/private` },
      clone: [{ name: "https", href: clone.replace("://", "://octo@") }],
    },
  };
  return {
    "/user": { username: "octo", uuid: "{octo}" },
    "/user/emails": { values: [{ email: EMAIL, is_primary: true }] },
    "/user/workspaces": { values: [{ workspace: { slug: "octo" } }] },
    "/repositories/octo": { values: [repository] },
    "/repositories/octo/private": repository,
    "/repositories/octo/private/refs/branches": {
      values: [{ name: "main", target: { hash: "a".repeat(40) } }],
    },
  };
}
