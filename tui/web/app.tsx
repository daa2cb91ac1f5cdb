// The frame of the console: who is signed in, the views, what waits for the person, and the state of the line.

import { useEffect, useSyncExternalStore } from "react";
import { Notifications } from "./account/notifications.tsx";
import { Schedules } from "./account/schedules.tsx";
import { Settings } from "./account/settings.tsx";
import { Files } from "./files/files.tsx";
import { hashOf, type Route } from "./route.ts";
import type { Console } from "./store/console.ts";
import { homePid } from "./store/console.ts";
import { LineView } from "./views/line-view.tsx";
import { Processes } from "./views/processes.tsx";
import { SignIn } from "./views/sign-in.tsx";
import { TalkView } from "./views/talk-view.tsx";
import type { ViewProps } from "./views/view-props.ts";
import { Waiting } from "./views/waiting.tsx";

export function App({ gsv }: { readonly gsv: Console }) {
  const state = useSyncExternalStore(gsv.subscribe, gsv.snapshot);
  const { entry, asks, route, talk, spoken } = state;
  const waiting = asks.length === 0 ? "" : `(${asks.length}) `;
  const where = route.view === "talk" ? (talk?.pid ?? "") : route.view;
  useEffect(() => {
    document.title = entry.kind === "in" ? `${waiting}${where} · gsv` : "gsv";
  }, [entry.kind, waiting, where]);
  if (entry.kind !== "in") return <SignIn gsv={gsv} state={state} />;
  return (
    <>
      <Bar gsv={gsv} state={state} />
      <View gsv={gsv} state={state} />
      <p className="spoken" role="status">
        {spoken}
      </p>
    </>
  );
}

function Bar({ gsv, state }: ViewProps) {
  const { route, asks, news, who } = state;
  const home = homePid(state);
  const views: readonly (readonly [Route, string])[] = [
    [{ view: "processes" }, "Processes"],
    ...(home === null ? [] : [[{ view: "talk", pid: home }, "Talk"] as const]),
    [{ view: "waiting" }, "Waiting"],
    [{ view: "files", path: "~" }, "Files"],
    [{ view: "schedules" }, "Schedules"],
    [{ view: "notifications" }, "Notifications"],
    [{ view: "settings" }, "Settings"],
  ];
  return (
    <header className="bar">
      <nav aria-label="views">
        {views.map(([each, name]) => {
          const isHere = each.view === "files" ? route.view === "files" : hashOf(each) === hashOf(route);
          return (
            <a
              key={name}
              href={hashOf(each)}
              aria-current={isHere ? "page" : undefined}
              ref={isHere ? showLink : undefined}
            >
              {name}
              {each.view === "waiting" && asks.length > 0 && <b className="count">{asks.length}</b>}
              {each.view === "notifications" && news.unread > 0 && <b className="count">{news.unread}</b>}
            </a>
          );
        })}
      </nav>
      <LineView gsv={gsv} state={state} />
      <span className="who">{who?.username}</span>
      <button type="button" className="quiet" onClick={() => void gsv.leave()}>
        Sign out
      </button>
    </header>
  );
}

/** A narrow screen shows only some of the links. */
function showLink(link: HTMLElement | null): void {
  link?.scrollIntoView({ inline: "nearest", block: "nearest" });
}

function View(props: ViewProps) {
  switch (props.state.route.view) {
    case "talk":
      return <TalkView {...props} />;
    case "files":
      return <Files {...props} />;
    case "schedules":
      return <Schedules {...props} />;
    case "notifications":
      return <Notifications {...props} />;
    case "settings":
      return <Settings {...props} />;
    case "waiting":
      return <Waiting {...props} />;
    default:
      return <Processes {...props} />;
  }
}
