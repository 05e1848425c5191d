import type { api } from "@agent-workspace/client";
import { useEffect, useState } from "preact/hooks";
import { Refused } from "../../parts/refused.tsx";
import { stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { isOver, names } from "./reads.ts";

/** The log of a deployment. Until it ends, its lines come as they are written. */
export function DeploymentLog({ deployment }: { deployment: api.Deployment }) {
  const { id } = deployment;
  const isLive = !isOver(deployment);
  const [came, setCame] = useState<readonly string[]>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    if (!isLive) return undefined;
    const leaving = new AbortController();
    follow(id, leaving.signal, setCame).catch((refusal: unknown) => {
      if (!leaving.signal.aborted) setError(refusal);
    });
    return () => leaving.abort();
  }, [id, isLive]);
  const lines = isLive ? (came ?? []) : (deployment.logs ?? came ?? []);
  return (
    <section aria-label="Log">
      <h2>Log</h2>
      {error !== undefined && <Refused error={error} />}
      {lines.length === 0 && <p class="muted">No output yet.</p>}
      {lines.length > 0 && (
        <pre class="wrapped" tabIndex={0}>
          {lines.join("\n")}
        </pre>
      )}
    </section>
  );
}

/** Shows the lines of a log from its beginning, and has the deployment read again at each change of its state. */
async function follow(
  id: string,
  signal: AbortSignal,
  show: (lines: readonly string[]) => void,
): Promise<void> {
  const lines: string[] = [];
  let frame = 0;
  for await (const event of workspace.deployments.events(id, { signal })) {
    if (event.type === "log") lines.push(event.text);
    else stale(names.deployment(id), [...names.deployments, "list"]);
    // Lines that come faster than the screen changes are shown together.
    if (frame === 0) {
      frame = requestAnimationFrame(() => {
        frame = 0;
        show([...lines]);
      });
    }
  }
}
