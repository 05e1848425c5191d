import { textOf } from "../../parts/form-text.ts";
import type { CredentialField } from "./platforms.ts";

/** Fields for what a platform gives. Of a channel that has them, an empty field keeps what is there. */
export function CredentialFields({
  fields,
  isChange,
}: {
  fields: readonly CredentialField[];
  isChange: boolean;
}) {
  return (
    <>
      {fields.map(({ name, label, hint, isSecret, isOptional }) => (
        <div key={name} class="field">
          <label for={name}>
            {label}
            {isOptional === true && " (optional)"}
          </label>
          <input
            id={name}
            name={name}
            type={isSecret ? "password" : "text"}
            required={!isChange && isOptional !== true}
            autocomplete="off"
            aria-describedby={`${name}-hint`}
          />
          <span id={`${name}-hint`} class="muted small">
            {hint}
            {isChange && " Leave empty to keep the current one."}
          </span>
        </div>
      ))}
    </>
  );
}

/** The credentials that were typed. */
export function credentialsOf(form: FormData, fields: readonly CredentialField[]): Record<string, string> {
  const typed = fields.map(({ name }) => [name, textOf(form, name)] as const);
  return Object.fromEntries(typed.filter(([, value]) => value !== ""));
}
