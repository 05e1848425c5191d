import { createHmac } from "node:crypto";
import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { keptSecret } from "#local/kept-secret.ts";
import { sameText } from "#local/same-text.ts";

const Claims = z.looseObject({ exp: z.number(), purpose: z.string() });

/**
 * Signs the tokens and addresses that the stand-in hands out itself, as JSON Web Tokens with HS256. The key is
 * `DATA_DIR/hosting-key`.
 */
export class Signer {
  readonly #key: string;

  constructor(dataDir: string) {
    this.#key = keptSecret(dataDir, "hosting-key");
  }

  /** `now` in milliseconds. The token is valid for so many seconds, for this purpose. */
  sign(purpose: string, claims: object, seconds: number, now: number): string {
    const exp = Math.floor(now / 1000) + seconds;
    const signed = `${encode({ alg: "HS256", typ: "JWT" })}.${encode({ ...claims, purpose, exp })}`;
    return `${signed}.${this.#signature(signed)}`;
  }

  /** Returns the claims of a valid token; undefined for one that is forged, over or for something else. */
  read<T>(purpose: string, token: string, schema: z.ZodType<T>, now: number): T | undefined {
    const [, signed, payload, signature] = /^([\w-]+\.([\w-]+))\.([\w-]+)$/u.exec(token) ?? [];
    if (signed === undefined || payload === undefined || signature === undefined) return undefined;
    if (!sameText(signature, this.#signature(signed))) return undefined;
    const claims = safeParseJson(Buffer.from(payload, "base64url").toString(), Claims)?.value;
    if (!claims || claims.purpose !== purpose || claims.exp * 1000 <= now) return undefined;
    return schema.safeParse(claims).data;
  }

  #signature(signed: string): string {
    return createHmac("sha256", this.#key).update(signed).digest("base64url");
  }
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
