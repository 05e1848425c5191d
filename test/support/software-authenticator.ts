import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from "node:crypto";
import type { CreationOptions, RequestOptions } from "#src/platform/webauthn/webauthn.ts";

/*
 * An authenticator and the browser before it, as WebAuthn has them: ES256, no attestation. It keeps its passkeys in memory, and
 * says what a test has it say, also what no browser would.
 */

/** What a test changes of an answer. */
export interface Told {
  /** Of the page that asks. */
  origin?: string;
  /** Signed in place of the one that was asked for. */
  rpId?: string;
  isUserVerified?: boolean;
  counter?: number;
  /** In place of the person for whom the passkey was made; null for none. */
  userHandle?: string | null;
  type?: string;
  /** Of a passkey that is made. */
  id?: Buffer;
  /** None by itself; `self` is signed by the passkey. */
  attestation?: "self" | readonly [format: string, statement: ReadonlyMap<string, unknown>];
}

interface Credential {
  id: Buffer;
  userHandle: string;
  rpId: string;
  privateKey: KeyObject;
  counter: number;
}

const FLAGS = { present: 0x01, verified: 0x04, backupEligible: 0x08, backedUp: 0x10, credential: 0x40 };

export class SoftwareAuthenticator {
  readonly credentials: Credential[] = [];
  readonly #origin: string;
  readonly #counts: boolean;
  readonly #isBackedUp: boolean;

  constructor(origin: string, { counts = true, isBackedUp = false } = {}) {
    this.#origin = origin;
    this.#counts = counts;
    this.#isBackedUp = isBackedUp;
  }

  /** As `navigator.credentials.create`, with the result's `toJSON()`. */
  create(options: CreationOptions, told: Told = {}) {
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const { x = "", y = "" } = publicKey.export({ format: "jwk" });
    const cose = new Map<number, unknown>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, "base64url")],
      [-3, Buffer.from(y, "base64url")],
    ]);
    const credential = {
      id: told.id ?? randomBytes(32),
      userHandle: options.user.id,
      rpId: options.rp.id,
      privateKey,
      counter: 0,
    };
    this.credentials.push(credential);
    const attested = Buffer.concat([
      Buffer.alloc(16),
      Buffer.from([0, credential.id.length]),
      credential.id,
      encode(cose),
    ]);
    const data = this.#data(credential, told, attested);
    const client = this.#client(told.type ?? "webauthn.create", options.challenge, told);
    const { attestation = ["none", new Map<string, unknown>()] } = told;
    const [format, statement] =
      attestation === "self" ? (["packed", selfSigned(data, client, privateKey)] as const) : attestation;
    const object = new Map<string, unknown>([
      ["fmt", format],
      ["attStmt", statement],
      ["authData", data],
    ]);
    return {
      id: credential.id.toString("base64url"),
      response: {
        clientDataJSON: client.toString("base64url"),
        attestationObject: encode(object).toString("base64url"),
        transports: ["internal"],
      },
    };
  }

  /** As `navigator.credentials.get`, with the newest passkey or another one. */
  get(options: RequestOptions, told: Told = {}, credential = this.credentials.at(-1)) {
    if (!credential) throw new Error("The authenticator has no passkey");
    const data = this.#data(credential, told);
    const client = this.#client(told.type ?? "webauthn.get", options.challenge, told);
    const userHandle = told.userHandle === undefined ? credential.userHandle : told.userHandle;
    return {
      id: credential.id.toString("base64url"),
      response: {
        clientDataJSON: client.toString("base64url"),
        authenticatorData: data.toString("base64url"),
        signature: signature(data, client, credential.privateKey).toString("base64url"),
        ...(userHandle !== null && { userHandle }),
      },
    };
  }

  /** Authenticator data. Source: WebAuthn, section 6.1. */
  #data(credential: Credential, told: Told, attested?: Buffer): Buffer {
    if (this.#counts) credential.counter += 1;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(told.counter ?? credential.counter);
    const flags =
      FLAGS.present |
      (told.isUserVerified === false ? 0 : FLAGS.verified) |
      (this.#isBackedUp ? FLAGS.backupEligible | FLAGS.backedUp : 0) |
      (attested ? FLAGS.credential : 0);
    const party = createHash("sha256")
      .update(told.rpId ?? credential.rpId)
      .digest();
    return Buffer.concat([party, Buffer.from([flags]), counter, attested ?? Buffer.alloc(0)]);
  }

  #client(type: string, challenge: string, { origin = this.#origin }: Told): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  }
}

function selfSigned(data: Buffer, client: Buffer, key: KeyObject): Map<string, unknown> {
  return new Map<string, unknown>([
    ["alg", -7],
    ["sig", signature(data, client, key)],
  ]);
}

function signature(data: Buffer, client: Buffer, key: KeyObject): Buffer {
  return sign("sha256", Buffer.concat([data, createHash("sha256").update(client).digest()]), key);
}

/** CBOR of what authenticators say. Source: RFC 8949, section 3. */
function encode(value: unknown): Buffer {
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === "string")
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(encode)]);
  if (value instanceof Map)
    return Buffer.concat([head(5, value.size), ...[...value.entries()].flat().map(encode)]);
  throw new Error(`CBOR of ${typeof value} is not needed`);
}

function head(major: number, argument: number): Buffer {
  if (argument < 24) return Buffer.from([(major << 5) | argument]);
  if (argument < 256) return Buffer.from([(major << 5) | 24, argument]);
  return Buffer.from([(major << 5) | 25, argument >> 8, argument & 0xff]);
}
