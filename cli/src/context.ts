import { Input } from "./input/input.ts";
import { Output } from "./output/output.ts";
import { configFolder, Profiles } from "./session/profiles.ts";

/** Options that every command has. */
export interface GlobalOptions {
  readonly json: boolean;
  readonly url: string | undefined;
  readonly debug: boolean;
  /** False for `--no-input`. */
  readonly input: boolean;
  /** False for `--no-color`. */
  readonly color: boolean;
}

/** The part of `fetch` that the client uses. */
type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** What a command works with. */
export interface Context {
  readonly options: GlobalOptions;
  readonly output: Output;
  readonly input: Input;
  readonly profiles: Profiles;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Folder in which the command was called. */
  readonly folder: string;
  /** `fetch`, told with `--debug`. */
  readonly fetch: Fetch;
}

export function createContext(options: GlobalOptions): Context {
  const { env: environment, stdin, stdout, stderr } = process;
  const output = new Output({ json: options.json, stdout, stderr, environment, color: options.color });
  return {
    options,
    output,
    input: new Input({ noInput: !options.input || options.json, stdin, stderr }),
    profiles: new Profiles(configFolder(environment)),
    environment,
    folder: process.cwd(),
    fetch: options.debug ? toldFetch(output) : fetch,
  };
}

/** `fetch` that tells method, path, status, time and request id of each request: nothing that may be secret. */
function toldFetch(output: Output): Fetch {
  return async (url, init) => {
    const begun = performance.now();
    const told = (...outcome: readonly (string | null)[]) => {
      const line = [
        init.method,
        new URL(url).pathname,
        ...outcome,
        `${Math.round(performance.now() - begun)} ms`,
      ];
      output.aside(line.filter(Boolean).join(" "));
    };
    try {
      const response = await fetch(url, init);
      told(String(response.status), response.headers.get("x-request-id"));
      return response;
    } catch (error) {
      told("failed");
      throw error;
    }
  };
}
