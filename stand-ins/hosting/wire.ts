import type http from "node:http";
import type { HostingParts } from "./parts.ts";
import type { Provider } from "./providers.ts";

/** What a call is answered: a value as JSON, a text, or pieces of a text as they come. */
export interface Answer {
  status: number;
  json?: unknown;
  text?: string | AsyncIterable<string>;
  /** A kept file, as bytes. */
  blob?: string;
  /** Content type of `text`. */
  type?: string;
  headers?: Readonly<Record<string, string>>;
}

/** Ends a call with an answer: mostly a refusal in the provider's form. */
export class Refused extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super(`Refused with ${answer.status}`);
    this.name = "Refused";
    this.answer = answer;
  }
}

/** One call with what is known about it. */
export interface Exchange {
  parts: HostingParts;
  wire: Wire;
  request: http.IncomingMessage;
  url: URL;
  /** Milliseconds since the epoch. */
  now: number;
  /** Whose token it is: 32 hexadecimal digits. Empty for a call without one. */
  account: string;
  /** The part of the path that a name in braces stands for. */
  at: (name: string) => string;
}

export interface WireCall {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below the wire's base: `{name}` is one segment of the path, `{name...}` the rest of it. */
  path: string;
  /** Whether it needs no token, since its address or its body proves enough. */
  isOpen?: boolean;
  run: (exchange: Exchange) => Answer | Promise<Answer>;
}

/** The API of one provider. */
export interface Wire {
  provider: Provider;
  /** Where it is at the stand-in, such as `/netlify/api/v1`. */
  base: string;
  calls: readonly WireCall[];
  /** Throws `Refused` for a request without the headers that the provider insists on. */
  check?: (request: http.IncomingMessage) => void;
  /** The token of a request; without this, that of the header `Authorization: Bearer`. */
  tokenOf?: (request: http.IncomingMessage) => string | undefined;
  /** The provider's form of an answer that is an error. */
  refusal: (status: number, message: string) => Answer;
  /** The answer to a missing or wrong token. */
  unauthorized: (path: string) => Answer;
  /** The answer to a body that is not what the call takes. */
  invalid: (message: string) => Answer;
  /** Headers of an answer with 429 that says so for this many seconds. */
  limited?: (seconds: number, now: number) => Readonly<Record<string, string>>;
}

/** A path of calls as an expression. */
export function pathPattern(path: string): RegExp {
  const source = path
    .split(/(\{\w+(?:\.\.\.)?\})/u)
    .map((part) => {
      const [, name, rest] = /^\{(\w+)(\.\.\.)?\}$/u.exec(part) ?? [];
      if (name === undefined) return part.replaceAll(/[.*+?^$()|[\]\\]/gu, String.raw`\$&`);
      return rest === undefined ? `(?<${name}>[^/]+)` : `(?<${name}>.+)`;
    })
    .join("");
  return new RegExp(`^${source}$`, "u");
}
