import type { Database } from "#stand-ins/shared/sqlite.ts";
import { hexOf, newHex } from "./ids.ts";
import type { Provider } from "./providers.ts";

/** Tokens that OAuth granted, and what leads to them, by their hash. `expires_at` is null for one that does not expire. */
export const TOKEN_TABLES = `
  CREATE TABLE IF NOT EXISTS grant_code (
    hash TEXT PRIMARY KEY, provider TEXT NOT NULL, account TEXT NOT NULL, redirect_uri TEXT NOT NULL, challenge TEXT,
    expires_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS access_token (
    hash TEXT PRIMARY KEY, provider TEXT NOT NULL, account TEXT NOT NULL, expires_at INTEGER
  ) STRICT;
  CREATE TABLE IF NOT EXISTS refresh_token (
    hash TEXT PRIMARY KEY, provider TEXT NOT NULL, account TEXT NOT NULL
  ) STRICT;
`;

/** Begins what is a token of the stand-in. */
const PREFIX = "standin_";
/** A token that a test wants refused. */
const BAD = "standin_bad";
/** Granted by OAuth: known, or refused. */
const GRANTED = "standin_oauth_";

const CODE_LIFETIME_MS = 600_000;

export interface GrantCode {
  provider: Provider;
  account: string;
  redirectUri: string;
  /** Of PKCE, by S256. */
  challenge: string | undefined;
}

export interface GrantedTokens {
  account: string;
  access: string;
  /** Only beside an access token that expires. */
  refresh: string | undefined;
}

/** Who a token belongs to. Every text that begins with `standin_` is an account of its own. */
export class Tokens {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** The account of a token; undefined for one that is wrong or over. */
  accountOf(provider: Provider, token: string, now: number): string | undefined {
    if (token.startsWith(GRANTED)) {
      const sql = `SELECT account FROM access_token
        WHERE hash = ? AND provider = ? AND (expires_at IS NULL OR expires_at > ?)`;
      const account = this.#db.get(sql, hexOf(token), provider, now)?.["account"];
      return typeof account === "string" ? account : undefined;
    }
    return token.startsWith(PREFIX) && !token.startsWith(BAD) ? hexOf(token) : undefined;
  }

  addCode({ provider, account, redirectUri, challenge }: GrantCode, now: number): string {
    const code = newHex(40);
    this.#db.run(
      "INSERT INTO grant_code VALUES (?, ?, ?, ?, ?, ?)",
      hexOf(code),
      provider,
      account,
      redirectUri,
      challenge ?? null,
      now + CODE_LIFETIME_MS,
    );
    return code;
  }

  /** Returns what a code stands for, once. */
  takeCode(provider: Provider, code: string, now: number): GrantCode | undefined {
    const sql = "DELETE FROM grant_code WHERE hash = ? AND provider = ? AND expires_at > ? RETURNING *";
    const row = this.#db.get(sql, hexOf(code), provider, now);
    return (
      row && {
        provider,
        account: String(row["account"]),
        redirectUri: String(row["redirect_uri"]),
        challenge: row["challenge"] === null ? undefined : String(row["challenge"]),
      }
    );
  }

  /** Grants tokens. Without a lifetime, in seconds, the access token does not expire and cannot be refreshed. */
  grant(provider: Provider, account: string, lifetime: number | undefined, now: number): GrantedTokens {
    const access = GRANTED + newHex(40);
    const refresh = lifetime === undefined ? undefined : newHex(48);
    this.#db.transaction(() => {
      this.#db.run(
        "INSERT INTO access_token VALUES (?, ?, ?, ?)",
        hexOf(access),
        provider,
        account,
        lifetime === undefined ? null : now + lifetime * 1000,
      );
      if (refresh !== undefined)
        this.#db.run("INSERT INTO refresh_token VALUES (?, ?, ?)", hexOf(refresh), provider, account);
    });
    return { account, access, refresh };
  }

  /** Takes a refresh token, which is good for once, and grants new ones. */
  refresh(provider: Provider, token: string, lifetime: number, now: number): GrantedTokens | undefined {
    return this.#db.transaction(() => {
      const sql = "DELETE FROM refresh_token WHERE hash = ? AND provider = ? RETURNING account";
      const account = this.#db.get(sql, hexOf(token), provider)?.["account"];
      return typeof account === "string" ? this.grant(provider, account, lifetime, now) : undefined;
    });
  }

  /** Ends the access tokens that OAuth granted; of one provider only, if it is named. Returns how many. */
  expire(provider: Provider | undefined, now: number): number {
    return this.#db.run(
      `UPDATE access_token SET expires_at = ?
       WHERE (expires_at IS NULL OR expires_at > ?) AND provider LIKE ?`,
      now,
      now,
      provider ?? "%",
    );
  }
}
