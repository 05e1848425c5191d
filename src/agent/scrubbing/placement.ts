import { entropyOf, isHash, isWordy, looksRandom, MIN_TOKEN_LENGTH } from "./randomness.ts";
import { isPlaceholder, isSecretName } from "./secret-names.ts";

/** A value that is, or may be, secret, and its name. */
export interface KnownSecret {
  name: string;
  value: string;
  /** Whether a person marked it as secret. Values of `.env` files are not declared: they stand among plain settings. */
  declared: boolean;
}

/**
 * Where a value is searched for:
 * - `anywhere`: also in the middle of a word;
 * - `alone`: not between letters, digits and underscores;
 * - `beside_name`: only as the value of its name, `NAME=value`;
 * - `nowhere`: it is a plain setting, and hiding it would garble output.
 */
export type Placement = "anywhere" | "alone" | "beside_name" | "nowhere";

/** Values that are never secret, not even under a secret name. */
const TRIVIAL = new Set(
  (
    "true false yes no on off null none nil undefined enabled disabled development production staging preview test testing " +
    "local localhost dev prod ci debug info warn warning error trace verbose silent json text utf8 utf-8 default auto always " +
    "never all password passwd secret token changeme user username"
  ).split(" "),
);

const MIN_LENGTH = 4;
/** Shorter values whose name does not say that they are secret are searched for only beside that name. */
const MIN_NEUTRAL_LENGTH = 8;
const MIN_SENSITIVE_LENGTH = 6;
/** Length from which a text of letters counts as a pass phrase and not as a word. */
const MIN_PHRASE_LENGTH = 12;
/** Length from which a text does not occur by chance. */
const LONG = 20;

/**
 * Decides where to search for a value. Known secrets are hidden also with low entropy; length and entropy only decide
 * between all places and whole words. A plain word is hidden beside its name alone, and a plain setting (`true`,
 * `3000`, `development`, `https://example.com`) not at all.
 */
export function placementOf({ name, value, declared }: KnownSecret): Placement {
  if (value.length < MIN_LENGTH || TRIVIAL.has(value.toLowerCase())) return "nowhere";
  if (!declared && isPlaceholder(value)) return "nowhere";
  const isNamed = isSecretName(name);
  const sensitive = declared || isNamed;
  if (isSetting(value)) return isNamed ? "beside_name" : "nowhere";
  if (!sensitive && (isHash(value) || isWordy(value, { mixed: true }))) return "nowhere";
  if (isWordy(value) && value.length < MIN_PHRASE_LENGTH) return "beside_name";
  if (value.length > LONG || entropyOf(value) >= 4) return "anywhere";
  if (isWordy(value)) return "alone";
  if (value.length >= (isNamed ? MIN_SENSITIVE_LENGTH : MIN_NEUTRAL_LENGTH)) return "alone";
  return sensitive ? "beside_name" : "nowhere";
}

/** Numbers, dates, versions, addresses without credentials, paths: settings, unless their name says otherwise. */
function isSetting(value: string): boolean {
  if (/^[+-]?\d[\d.,:_/ -]{0,23}[A-Za-z]{0,2}$/u.test(value)) return true;
  if (/^[^\s@/:]{1,64}@[a-z\d.-]{3,100}$/iu.test(value)) return true; // mail addresses
  if (/^(?:[a-z\d-]{1,40}\.){1,6}[a-z]{2,12}(?::\d{1,5})?$/u.test(value)) return true; // hosts
  if (/^(?:\.{0,2}|~)\/[\w./@-]*$/u.test(value)) return !hasRandomPart(value);
  const address = /^[a-z][a-z\d+.-]*:\/\//iu.test(value) ? URL.parse(value) : null;
  if (!address) return false;
  const { username, password, search, hash, pathname } = address;
  return username + password === "" && !hasRandomPart(`${pathname}/${search}/${hash}`);
}

function hasRandomPart(text: string): boolean {
  return text
    .split(/[/.?&=#]/u)
    .some((part) => looksRandom(part) || (part.length >= MIN_TOKEN_LENGTH && isHash(part)));
}
