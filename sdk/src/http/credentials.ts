import type { WorkspaceOptions } from "../options.ts";

/** A secret of a caller, kept until the service refuses it. */
class Kept {
  readonly #ask: (refused?: string) => Promise<string>;
  #value: Promise<string> | undefined;
  /** Those that were in use, for `without`. The last two: an answer may still name the one before. */
  known: string[] = [];

  constructor(ask: (refused?: string) => string | Promise<string>) {
    this.#ask = async (refused) => {
      const secret = await ask(refused);
      // `fetch` would name the whole header in its message.
      if (typeof secret !== "string" || !/^[\x21-\x7e]+$/u.test(secret)) {
        throw new TypeError("The key or token does not fit into a header");
      }
      this.known = [secret, ...this.known].slice(0, 2);
      return secret;
    };
  }

  get(): Promise<string> {
    return (this.#value ??= this.#asked());
  }

  /** Asks once more, once for all callers whose same secret was refused. Resolves to whether there is another one. */
  async renew(refused: string): Promise<boolean> {
    const held = this.#value;
    if (held && (await held) === refused && this.#value === held) this.#value = this.#asked(refused);
    return (await this.get()) !== refused;
  }

  #asked(refused?: string): Promise<string> {
    const asked = this.#ask(refused);
    // The next call asks again.
    asked.catch(() => {
      if (this.#value === asked) this.#value = undefined;
    });
    return asked;
  }
}

/** What a request carries of its caller. */
export interface Carried {
  headers: Record<string, string>;
  /** The secret among them. */
  secret?: string;
}

/** Who calls. The secrets are in private fields and closures, which neither `inspect` nor JSON shows. */
export interface Credentials {
  /** Whether the browser adds its cookies. */
  readonly cookies: boolean;
  /** Whether the caller is a program with a key, which has other paths for tasks than a person. */
  readonly isKey: boolean;
  carried(method: string): Promise<Carried>;
  /** Whether the same request may succeed now, after a refusal of what it carried. */
  renew(carried: Carried, status: number, detail: string): Promise<boolean>;
  /** The token for the address of a socket. `renew` asks for another one. */
  token(renew: boolean): Promise<string | undefined>;
  /** A text without the caller's secrets. */
  without: (text: string) => string;
}

const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD"]);

/**
 * `askCsrf` asks the service for the CSRF token of the browser's session. `askAccount` asks who is signed in: the page's own
 * `fetch` sees a session that has expired, and may renew it, which a socket cannot. Throws a `TypeError` for contradicting
 * options.
 */
export function credentialsOf(
  { apiKey, accessToken, cookies = false }: WorkspaceOptions,
  askCsrf: () => Promise<string>,
  askAccount: () => Promise<unknown>,
): Credentials {
  if (Number(apiKey !== undefined) + Number(accessToken !== undefined) + Number(cookies) > 1) {
    throw new TypeError("Name one of apiKey, accessToken and cookies");
  }
  const bearer =
    apiKey !== undefined
      ? new Kept(() => apiKey)
      : accessToken && new Kept((refused) => accessToken(refused));
  const csrf = cookies ? new Kept(askCsrf) : undefined;
  return {
    cookies,
    isKey: apiKey !== undefined,
    async carried(method) {
      if (bearer) {
        const secret = await bearer.get();
        return { headers: { authorization: `Bearer ${secret}` }, secret };
      }
      if (!csrf || SAFE.has(method)) return { headers: {} };
      const secret = await csrf.get();
      return { headers: { "x-csrf-token": secret }, secret };
    },
    async renew({ secret }, status, detail) {
      if (secret === undefined) return false;
      if (accessToken && bearer && status === 401) return bearer.renew(secret);
      // Of all refusals only those of the token name it.
      return csrf && status === 403 && detail.includes("CSRF") ? csrf.renew(secret) : false;
    },
    async token(renew) {
      if (renew && accessToken && bearer) await bearer.renew(await bearer.get());
      if (renew && cookies) await askAccount();
      return bearer?.get();
    },
    without: (text) =>
      [...(bearer?.known ?? []), ...(csrf?.known ?? [])].reduce(
        (safe, secret) => safe.replaceAll(secret, "[secret]"),
        text,
      ),
  };
}
