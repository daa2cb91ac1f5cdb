import { type FormEvent, useState } from "react";
import type { ViewProps } from "./view-props.ts";

export function SignIn({ gsv, state: { entry, line } }: ViewProps) {
  const [user, setUser] = useState("");
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const isBusy = entry.kind === "entering";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void gsv.signIn(code.trim() === "" ? { user, password } : { code: code.trim() });
  };
  return (
    <main className="sign-in">
      <h1>
        <span aria-hidden="true">›</span> gsv
      </h1>
      {isBusy ? (
        <p role="status">{line.kind === "lost" ? "gsv does not answer. Trying again." : "Signing in…"}</p>
      ) : (
        <form onSubmit={submit}>
          <p>
            In a terminal, run <code>gsv serve</code> and open the address that it prints. Or sign in here.
          </p>
          {entry.kind === "out" && entry.why !== null && (
            <p role="alert" className="bad">
              {entry.why}
            </p>
          )}
          <label>
            Name
            <input
              value={user}
              onInput={(event) => setUser(event.currentTarget.value)}
              autoComplete="username"
              autoCapitalize="none"
            />
          </label>
          <label>
            Password
            <input
              type="password"
              value={password}
              onInput={(event) => setPassword(event.currentTarget.value)}
              autoComplete="current-password"
            />
          </label>
          <p className="or">or</p>
          <label>
            Code
            <input
              value={code}
              onInput={(event) => setCode(event.currentTarget.value)}
              autoComplete="one-time-code"
              placeholder="XXXX-XXXX-XXXX"
            />
          </label>
          <button type="submit" className="main">
            Sign in
          </button>
        </form>
      )}
    </main>
  );
}
