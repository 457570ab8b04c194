import Foundation
import TestSupport
import Testing

@testable import FileWatching

/// Editors as they really save, driven without a person. The directory is not below /tmp, where they save otherwise.
@Suite struct EditorScenarios {
    private func vim(_ scene: Scene, _ settings: String, _ old: Int, _ new: Int) async throws {
        try await scene.shell(
            "vim -u NONE -N -i NONE -es -c 'set \(settings)' -c '%s/: \(old)/: \(new)/g' -c wq d/settings.json")
        try await scene.sees(new)
    }

    @Test(.enabled(if: Shell.has("vim"))) func `vim as it comes, twice`() async throws {
        let scene = try Scene()
        let before = try FileSignature(at: PathBytes(absolute: scene.path)).identity
        try await vim(scene, "backupskip=", 1, 2)
        #expect(try FileSignature(at: PathBytes(absolute: scene.path)).identity != before)
        try await vim(scene, "backupskip=", 2, 3)
        try await scene.ends("W2", [1, 2, 3])
    }

    @Test(.enabled(if: Shell.has("vim"))) func `vim with a backup that stays`() async throws {
        let scene = try Scene()
        try await vim(scene, "backupskip= backup backupcopy=no", 1, 2)
        try await vim(scene, "backupskip= backup backupcopy=no", 2, 3)
        try await scene.ends("W2 backup", [1, 2, 3])
    }

    @Test(.enabled(if: Shell.has("vim"))) func `vim in place`() async throws {
        let scene = try Scene()
        try await vim(scene, "nobackup nowritebackup", 1, 2)
        try await vim(scene, "backupskip= backupcopy=yes", 2, 3)
        try await scene.ends("W3", [1, 2, 3])
    }

    @Test(.enabled(if: Shell.has("emacs"))) func `Emacs, first save and second`() async throws {
        let scene = try Scene()
        for (old, new) in [(1, 2), (2, 3)] {
            try await scene.shell(
                """
                emacs -Q --batch --eval '(progn (setq temporary-file-directory "/nonexistent/" \
                backup-enable-predicate (lambda (f) t)) (find-file "d/settings.json") (goto-char 1) \
                (while (search-forward ": \(old)" nil t) (replace-match ": \(new)")) (save-buffer))'
                """)
            try await scene.sees(new)
        }
        try await scene.ends("W4", [1, 2, 3])
    }

    @Test(.enabled(if: Shell.has("nano") && Shell.has("script"))) func `nano`() async throws {
        let scene = try Scene()
        // Search and replace all, write out, leave: Ctrl-\ .. A, Ctrl-O, Enter, Ctrl-X.
        let keys = "(sleep 0.5; printf '\\034: 1\\r: 2\\r'; sleep 0.2; printf 'A'; sleep 0.2; printf '\\017\\r'; "
        try await scene.shell(
            keys + "sleep 0.3; printf '\\030') | TERM=xterm script -qec 'nano -I d/settings.json' /dev/null")
        try await scene.ends("W5", [1, 2])
    }

    @Test(.enabled(if: Shell.has("perl"))) func `perl -i`() async throws {
        let scene = try Scene()
        try await scene.shell("perl -pi -e 's/: 1/: 2/g' d/settings.json")
        try await scene.ends("W1 perl", [1, 2])
    }
}
