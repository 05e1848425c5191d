import { placementOf, type KnownSecret } from "./placement.ts";

/** A text to search for. */
export interface Needle {
  text: string;
  key: string;
  /** Characters at its start that must match but stay visible. */
  kept: number;
  /** Whether a match counts only without a letter, digit or underscore beside it. */
  alone: boolean;
}

/** Only this many UTF-16 units of a value are searched for. */
const MAX_VALUE_LENGTH = 16 * 1024;
/** Longer values are not searched for in encoded forms. */
const MAX_ENCODED_LENGTH = 2 * 1024;
/** Long values are searched for in parts, so that a truncated value is found as well. A line of base64 is as long. */
const PART_LENGTH = 76;
const MIN_PART_LENGTH = 16;
/** Length from which the lines of a multi-line value, such as a PEM key, are searched for one by one. */
const MIN_LINE_LENGTH = 16;
/** Most characters of all needles together; further ones are ignored. Each takes about 20 bytes of memory. */
const MAX_TOTAL_LENGTH = 1024 * 1024;

/** Texts between a name and its value, in shells, dotenv files, YAML and JSON, quoted or quoted twice. */
const BETWEEN = [
  "=",
  '="',
  "='",
  ": ",
  ': "',
  ": '",
  '":"',
  '": "',
  "':'",
  "': '",
  '\\":\\"',
  '\\": \\"',
  " = ",
  ' = "',
];

/**
 * Returns everything to search for when these values are to be hidden: the values, their parts, and their usual
 * encodings.
 */
export function needlesOf(secrets: readonly KnownSecret[]): Needle[] {
  const needles = new Map<string, Needle>();
  let total = 0;
  for (const needle of secrets.flatMap(needlesOfOne)) {
    const known = needles.get(needle.text);
    // If a value has two names and one of them hides it everywhere, it is hidden everywhere.
    if (known && (known.kept < needle.kept || !known.alone || needle.alone)) continue;
    total += needle.text.length;
    if (total > MAX_TOTAL_LENGTH) break;
    needles.set(needle.text, needle);
  }
  return [...needles.values()];
}

function needlesOfOne(secret: KnownSecret): Needle[] {
  const value = secret.value.trim().slice(0, MAX_VALUE_LENGTH);
  const { name } = secret;
  const key = name.replaceAll(/[^\w.-]/gu, "_").slice(0, 64);
  const placement = placementOf({ ...secret, value });
  if (placement === "nowhere") return [];
  if (placement === "beside_name") {
    return BETWEEN.map((between) => {
      const kept = name.length + between.length;
      return { text: name + between + value, key, kept, alone: true };
    });
  }
  const whole = { key, kept: 0, alone: placement === "alone" };
  const parts = { key, kept: 0, alone: false };
  return [
    ...formsOf(value).flatMap((form) =>
      placement === "alone" ? [{ ...whole, text: form }] : partsOf(form).map((text) => ({ ...parts, text })),
    ),
    ...[...linesOf(value), ...base64FormsOf(value).flatMap(partsOf), ...passwordsOf(secret)].map((text) => ({
      ...parts,
      text,
    })),
  ];
}

/** Returns a value as it is, and as JSON, an address and a form write it. */
function formsOf(value: string): string[] {
  if (value.length > MAX_ENCODED_LENGTH) return [value];
  const wellFormed = value.toWellFormed();
  const encoded = encodeURIComponent(wellFormed);
  const forms = [
    value,
    JSON.stringify(value).slice(1, -1),
    encoded,
    encoded.replaceAll(/%[\dA-F]{2}/gu, (escape) => escape.toLowerCase()),
    encoded.replaceAll("%20", "+"),
  ];
  return [...new Set(forms)];
}

/** Returns the base64 of a value inside of a longer encoded text, at each of its three byte alignments. */
function base64FormsOf(value: string): string[] {
  const bytes = new TextEncoder().encode(value.toWellFormed());
  if (bytes.length < 8 || value.length > MAX_ENCODED_LENGTH) return [];
  const forms = [0, 1, 2].map((before) => {
    const shifted = new Uint8Array(before + bytes.length);
    shifted.set(bytes, before);
    // Skip characters that also encode bits of the text before or after.
    const from = Math.ceil((before * 8) / 6);
    const to = Math.floor((shifted.length * 8) / 6);
    return base64(shifted).slice(from, to);
  });
  return [...new Set([...forms, ...forms.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"))])];
}

function base64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

function linesOf(value: string): string[] {
  if (!/[\r\n]/u.test(value)) return [];
  return value
    .split(/[\r\n]+/u)
    .map((line) => line.trim())
    .filter((line) => line.length >= MIN_LINE_LENGTH && !line.startsWith("-----"));
}

/** Returns the passwords of an address, which programs also show separately. */
function passwordsOf({ name, value }: KnownSecret): string[] {
  const address = /^[a-z][a-z\d+.-]*:\/\//iu.test(value) ? URL.parse(value) : null;
  if (!address || address.password === "") return [];
  const decoded = safeDecode(address.password);
  const secret = { name: `${name}_PASSWORD`, value: decoded, declared: true };
  const placement = placementOf(secret);
  return placement === "anywhere" || placement === "alone" ? [...new Set([address.password, decoded])] : [];
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function partsOf(text: string): string[] {
  if (text.length <= PART_LENGTH + MIN_PART_LENGTH) return [text];
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += PART_LENGTH) {
    const rest = text.length - at;
    if (rest <= PART_LENGTH + MIN_PART_LENGTH) {
      parts.push(text.slice(at));
      break;
    }
    parts.push(text.slice(at, at + PART_LENGTH));
  }
  return parts;
}
