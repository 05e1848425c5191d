import { Link } from "wouter-preact";

/** Which model answers; of the demo model it is said that it does not think. */
export function Model({ name }: { name: string | null }) {
  if (name === null) {
    return (
      <p class="notice bad" role="alert">
        This installation has no model yet. <Link href="/models/keys">Add a provider key</Link>, or ask its
        operator to set <code>DEFAULT_MODEL</code> and a key.
      </p>
    );
  }
  if (name === "demo" || name.endsWith("/demo")) {
    return (
      <p class="notice">
        The <strong>demo</strong> model follows a script, so you can try everything without a key. For real
        work, <Link href="/models/keys">add a provider key</Link>.
      </p>
    );
  }
  return (
    <p class="muted">
      Model: <strong>{name}</strong>
    </p>
  );
}
