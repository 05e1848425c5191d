import type { ConversationApproval, ConversationTurn } from "@agent-workspace/client";
import { Component } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ToolLine, type WholeCall } from "../../parts/agent/tool-line.tsx";
import { Folded } from "../../parts/folded.tsx";
import { Markdown } from "../../parts/markdown/markdown.tsx";

/** Turns that are rendered together, or not at all while they are far from the view. */
const CHUNK = 40;
/** How far from the view they are rendered already. */
const MARGIN = "1200px 0px";
/** Height of a turn that was never rendered, in pixels. */
const TURN_HEIGHT = 40;

interface Turns {
  readonly turns: readonly ConversationTurn[];
  /** What a person was asked about their calls. */
  readonly approvals: readonly ConversationApproval[];
  /** Fetches a call whose arguments or result were cut. */
  readonly whole: WholeCall;
}

/** The turns of a task. Of thousands, only those near the view are in the page. */
export function TurnList({ turns, ...shown }: Turns) {
  const chunks = Math.ceil(turns.length / CHUNK);
  return (
    <>
      {Array.from({ length: chunks }, (_, chunk) => (
        <Chunk
          key={chunk}
          turns={turns.slice(chunk * CHUNK, (chunk + 1) * CHUNK)}
          isLast={chunk === chunks - 1}
          {...shown}
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

/** Rendered again only when one of its turns, or an answer about a call, has changed. */
class RenderedTurns extends Component<Turns> {
  override shouldComponentUpdate({ turns, approvals }: Turns): boolean {
    const { turns: before } = this.props;
    return (
      approvals !== this.props.approvals ||
      turns.length !== before.length ||
      turns.some((turn, index) => turn !== before[index])
    );
  }

  render({ turns, approvals, whole }: Turns) {
    return turns.map((turn, index) => (
      <section key={index} class="turn">
        {hasThoughts(turn) && (
          <Folded summary="Thoughts" class="thinking">
            <Markdown text={turn.thinking ?? ""} />
          </Folded>
        )}
        {turn.text !== "" && <Markdown text={turn.text} />}
        {turn.calls.map((call) => (
          <ToolLine
            key={call.id}
            call={call}
            approval={approvals.find(({ toolCallId }) => toolCallId === call.id)}
            whole={whole}
          />
        ))}
      </section>
    ));
  }
}

/** Without thoughts of its own, a turn has what it said as its thoughts: that is not said twice. */
function hasThoughts({ thinking = "", text }: ConversationTurn): boolean {
  return thinking.trim() !== "" && thinking.trim() !== text.trim();
}
