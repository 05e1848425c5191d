import { Link } from "wouter-preact";

/** Which model answers; of the demo model it is said that it does not think. */
export function Model({ name }: { name: string | null }) {
  if (name === null) {
    return (
      <p class="notice bad" role="alert">
        This installation has no model yet. Its operator sets <code>DEFAULT_MODEL</code> and a key; you can
        add a key of your own in your <Link href="/models/keys">models</Link>.
      </p>
    );
  }
  if (name === "demo" || name.endsWith("/demo")) {
    return (
      <p class="notice">
        The model is <strong>demo</strong>: it follows a script and does not think. The operator sets{" "}
        <code>DEFAULT_MODEL</code> and a key for a model that does.
      </p>
    );
  }
  return (
    <p class="muted">
      The model is <strong>{name}</strong>.
    </p>
  );
}
