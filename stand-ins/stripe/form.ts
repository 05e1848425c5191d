import { invalidParameter } from "./api-error.ts";

/** A decoded form: texts, nested by the brackets of their names. */
export interface Form {
  [name: string]: FormValue;
}
export type FormValue = string | Form | FormValue[];

const MAX_DEPTH = 8;
const NAME = /^[^[\]]+(\[[^[\]]*\])*$/u;

/**
 * Decodes a form-encoded body or query as Stripe does: `a[b][0]=x` is `{ a: { b: ["x"] } }`, `a[]=x` appends.
 * Throws `ApiError` for names that contradict each other.
 */
export function decodeForm(text: string): Form {
  const root = newForm();
  for (const [name, value] of new URLSearchParams(text)) {
    if (!NAME.test(name)) throw invalidParameter(`Invalid parameter name: ${name}`, name);
    const keys = [
      name.replace(/\[.*$/u, ""),
      ...[...name.matchAll(/\[([^[\]]*)\]/gu)].map(([, key = ""]) => key),
    ];
    if (keys.length > MAX_DEPTH) throw invalidParameter(`Too deeply nested: ${name}`, name);
    put(root, keys, value, name);
  }
  return withLists(root);
}

/** Without a prototype, so that a parameter named `__proto__` is one like others. */
function newForm(): Form {
  const form: Form = Object.create(null);
  return form;
}

function put(root: Form, keys: readonly string[], value: string, name: string): void {
  let form = root;
  for (const [at, given] of keys.entries()) {
    const key = given === "" ? String(Object.keys(form).length) : given;
    if (at === keys.length - 1) {
      if (form[key] !== undefined) throw invalidParameter(`Parameter given twice: ${name}`, name);
      form[key] = value;
      return;
    }
    const next = (form[key] ??= newForm());
    if (typeof next === "string" || Array.isArray(next)) throw invalidParameter(`Invalid ${name}`, name);
    form = next;
  }
}

/** Makes a list of each form whose names are 0, 1, 2 and so on. */
function withLists(form: Form): Form {
  const decoded = newForm();
  for (const [name, value] of Object.entries(form)) decoded[name] = withListsWithin(value);
  return decoded;
}

function withListsWithin(value: FormValue): FormValue {
  if (typeof value === "string" || Array.isArray(value)) return value;
  const names = Object.keys(value);
  const isList = names.length > 0 && names.every((name, at) => name === String(at));
  return isList ? Object.values(value).map(withListsWithin) : withLists(value);
}
