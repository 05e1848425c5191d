import type { ConversationTurn } from "@agent-workspace/client";
import { Component } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ToolLine, type WholeCall } from "../../parts/agent/tool-line.tsx";
import { Markdown } from "../../parts/markdown/markdown.tsx";

/** Turns that are rendered together, or not at all while they are far from the view. */
const CHUNK = 40;
/** How far from the view they are rendered already. */
const MARGIN = "1200px 0px";
/** Height of a turn that was never rendered, in pixels. */
const TURN_HEIGHT = 40;

interface Turns {
  readonly turns: readonly ConversationTurn[];
  /** Fetches a call whose arguments or result were cut. */
  readonly whole: WholeCall;
}

/** The turns of a task. Of thousands, only those near the view are in the page. */
export function TurnList({ turns, whole }: Turns) {
  const chunks = Math.ceil(turns.length / CHUNK);
  return (
    <>
      {Array.from({ length: chunks }, (_, chunk) => (
        <Chunk
          key={chunk}
          turns={turns.slice(chunk * CHUNK, (chunk + 1) * CHUNK)}
          isLast={chunk === chunks - 1}
          whole={whole}
        />
      ))}
    </>
  );
}

function Chunk({ isLast, ...shown }: Turns & { isLast: boolean }) {
  const place = useRef<HTMLDivElement>(null);
  const [isNear, setNear] = useState(isLast);
  const height = useRef(shown.turns.length * TURN_HEIGHT);
  useEffect(() => {
    const { current } = place;
    if (!current) return undefined;
    const root = current.closest(".scroll");
    const observer = new IntersectionObserver(
      (entries) => {
        // A page that is busy is told of several changes at once.
        const entry = entries.at(-1);
        if (!entry) return;
        // Its height is kept, so that nothing moves when it leaves the page.
        if (!entry.isIntersecting && current.offsetHeight > 0) height.current = current.offsetHeight;
        setNear(entry.isIntersecting);
      },
      { root, rootMargin: MARGIN },
    );
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={place} style={isNear ? {} : { height: `${height.current}px` }}>
      {isNear && <RenderedTurns {...shown} />}
    </div>
  );
}

/** Rendered again only when one of its turns has changed. */
class RenderedTurns extends Component<Turns> {
  override shouldComponentUpdate({ turns }: Turns): boolean {
    const { turns: before } = this.props;
    return turns.length !== before.length || turns.some((turn, index) => turn !== before[index]);
  }

  render({ turns, whole }: Turns) {
    return turns.map((turn, index) => (
      <section key={index} class="turn">
        {turn.thinking !== undefined && (
          <details class="thinking">
            <summary>Thoughts</summary>
            <Markdown text={turn.thinking} />
          </details>
        )}
        {turn.text !== "" && <Markdown text={turn.text} />}
        {turn.calls.map((call) => (
          <ToolLine key={call.id} call={call} whole={whole} />
        ))}
      </section>
    ));
  }
}
