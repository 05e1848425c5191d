import { placementOf, type KnownSecret } from "./placement.ts";

/** A text to look for. */
export interface Needle {
  text: string;
  key: string;
  /** Characters at its start that are only looked at: they stay. */
  kept: number;
  /** Whether it counts only where no letter, digit or underscore is beside it. */
  alone: boolean;
}

/** Of a longer value, the rest is not looked for. UTF-16 units. */
const MAX_VALUE_LENGTH = 16 * 1024;
/** Of a longer value no encoded forms are looked for. */
const MAX_ENCODED_LENGTH = 2 * 1024;
/** Long values are looked for in parts, so that what was cut out of one is found as well. A line of base64 is as long. */
const PART_LENGTH = 76;
const MIN_PART_LENGTH = 16;
/** Lines of a value of several lines, such as a key in PEM, are looked for one by one from this length. */
const MIN_LINE_LENGTH = 16;
/** Characters of all texts together; what comes later is not looked for. About 20 bytes of memory for each. */
const MAX_TOTAL_LENGTH = 1024 * 1024;

/** What stands between a name and its value, in shells, dotenv files, YAML and JSON, quoted or quoted twice. */
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

/** Everything to look for when these values are to be hidden: the values, their parts, and their usual encodings. */
export function needlesOf(secrets: readonly KnownSecret[]): Needle[] {
  const needles = new Map<string, Needle>();
  let total = 0;
  for (const needle of secrets.flatMap(needlesOfOne)) {
    const known = needles.get(needle.text);
    // A value of two names, one of which hides it everywhere, is hidden everywhere.
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

/** A value as it is, and as it stands in JSON, in an address and in a form. */
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

/** A value inside of what was encoded as base64, at each of the three places that a byte can have there. */
function base64FormsOf(value: string): string[] {
  const bytes = new TextEncoder().encode(value.toWellFormed());
  if (bytes.length < 8 || value.length > MAX_ENCODED_LENGTH) return [];
  const forms = [0, 1, 2].map((before) => {
    const shifted = new Uint8Array(before + bytes.length);
    shifted.set(bytes, before);
    // Characters that also hold bits of what is before or after.
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

/** The password of an address: programs show it apart from the rest. */
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
