import path from "node:path";
import { homedir } from "node:os";
import { CommandError } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import { isObject, objectOf, parseJson, textOf, type JsonObject } from "../json.ts";
import { withLock } from "./lock.ts";
import { readPrivateFile, writePrivateFile } from "./private-file.ts";

/** A person who signed in by the device flow. */
export interface SessionProfile {
  readonly kind: "session";
  readonly accessToken: string;
  /** Single use; absent when the service gave no new one. */
  readonly refreshToken: string | undefined;
  /** Name of the account, for people. */
  readonly account: string | undefined;
}

/** A key that was paired by a link. */
export interface KeyProfile {
  readonly kind: "key";
  readonly key: string;
}

export type Profile = SessionProfile | KeyProfile;

interface Stored {
  /** Address of the service that is used when none is named. */
  readonly current: string | undefined;
  readonly profiles: Readonly<Record<string, Profile>>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** `$XDG_CONFIG_HOME/workspace`, or `~/.config/workspace`. */
export function configFolder(environment: Environment): string {
  const given = environment["XDG_CONFIG_HOME"];
  // A relative path is invalid. Source: XDG Base Directory Specification 0.8.
  const base = given !== undefined && path.isAbsolute(given) ? given : path.join(homedir(), ".config");
  return path.join(base, "workspace");
}

/** The profiles of a person on this machine: one for each service. Only their owner may read the file. */
export class Profiles {
  readonly #file: string;
  readonly #lock: string;

  constructor(folder: string) {
    this.#file = path.join(folder, "profiles.json");
    this.#lock = path.join(folder, "profiles.lock");
  }

  /** The profile of a service; undefined when the person is not signed in there. */
  async get(service: string): Promise<Profile | undefined> {
    return (await this.#read()).profiles[service];
  }

  /** The service of the last sign-in. */
  async current(): Promise<string | undefined> {
    return (await this.#read()).current;
  }

  /** Stores a profile and makes its service the current one. */
  set(service: string, profile: Profile): Promise<void> {
    return withLock(this.#lock, async () => {
      const { profiles } = await this.#read();
      await this.#write({ current: service, profiles: { ...profiles, [service]: profile } });
    });
  }

  remove(service: string): Promise<void> {
    return withLock(this.#lock, async () => {
      const { current, profiles } = await this.#read();
      const { [service]: _, ...others } = profiles;
      await this.#write({ current: current === service ? undefined : current, profiles: others });
    });
  }

  /**
   * Changes the profile of a service while no other process can. `change` gets the profile as it is now; undefined is returned
   * and stored as no profile.
   */
  update(
    service: string,
    change: (profile: Profile | undefined) => Promise<Profile | undefined>,
  ): Promise<Profile | undefined> {
    return withLock(this.#lock, async () => {
      const { current, profiles } = await this.#read();
      const before = profiles[service];
      const after = await change(before);
      if (after === before) return after;
      const { [service]: _, ...others } = profiles;
      await this.#write({ current, profiles: after ? { ...others, [service]: after } : others });
      return after;
    });
  }

  async #read(): Promise<Stored> {
    const text = await readPrivateFile(this.#file);
    if (text === undefined) return { current: undefined, profiles: {} };
    const stored = parseJson(text);
    if (!isObject(stored)) {
      throw new CommandError(
        EXIT.failed,
        "broken_profiles",
        `${this.#file} is not readable`,
        "Remove it, and sign in again.",
      );
    }
    const entries = Object.entries(objectOf(stored["profiles"])).flatMap(([service, fields]) => {
      const profile = profileOf(objectOf(fields));
      return profile ? [[service, profile] as const] : [];
    });
    return { current: textOf(stored, "current"), profiles: Object.fromEntries(entries) };
  }

  #write({ current, profiles }: Stored): Promise<void> {
    const stored = {
      ...(current !== undefined && { current }),
      profiles: Object.fromEntries(
        Object.entries(profiles).map(([service, profile]) => [service, fieldsOf(profile)]),
      ),
    };
    return writePrivateFile(this.#file, `${JSON.stringify(stored, undefined, 2)}\n`);
  }
}

function profileOf(fields: JsonObject): Profile | undefined {
  const key = textOf(fields, "key");
  if (key !== undefined) return { kind: "key", key };
  const accessToken = textOf(fields, "access_token");
  if (accessToken === undefined) return undefined;
  return {
    kind: "session",
    accessToken,
    refreshToken: textOf(fields, "refresh_token"),
    account: textOf(fields, "account"),
  };
}

function fieldsOf(profile: Profile): JsonObject {
  if (profile.kind === "key") return { key: profile.key };
  const { accessToken, refreshToken, account } = profile;
  return { access_token: accessToken, refresh_token: refreshToken, account };
}
