import Foundation
import Testing

@testable import FileWatching

/// The schedule by scripted events and a clock that is moved by hand.
@Suite struct LookScheduleTests {
    /// A schedule that has settled on content, at a time of its own.
    private struct Script {
        var schedule = LookSchedule(times: FileWatcher.GraceTimes())
        private let begin = ContinuousClock.now
        private var elapsed = Duration.zero

        var now: ContinuousClock.Instant { begin + elapsed }
        /// When a look is due, counted from the beginning.
        var due: Duration? { schedule.due.map { $0 - begin } }

        mutating func takeDue() -> Bool { schedule.takeDue(at: now) }

        init(settledOn finding: LookSchedule.Finding? = .content) {
            if let finding { schedule.adopt(finding) }
        }

        mutating func wait(_ milliseconds: Int) { elapsed += .milliseconds(milliseconds) }

        /// Takes in events; whether the path has to be walked again for one of them.
        @discardableResult
        mutating func note(_ events: LookSchedule.Event...) -> Bool {
            var moves = false
            for event in events where schedule.note(event, at: now) { moves = true }
            return moves
        }

        /// Looks once; nil when the schedule sees no point in it.
        mutating func look(
            _ finding: LookSchedule.Finding, isCurrent: Bool = true, isLast: Bool = true,
            meanwhile events: LookSchedule.Event...
        ) -> LookSchedule.Verdict? {
            guard let look = schedule.beginLook(at: now) else { return nil }
            for event in events { _ = schedule.note(event, at: now) }
            return schedule.judge(
                finding, signature: nil, isCurrent: isCurrent, of: look, isLast: isLast, at: now)
        }
    }

    @Test func `nothing is due before an event`() {
        var script = Script()
        #expect(script.due == nil)
        script.wait(1_000_000)
        #expect(script.takeDue() == false)
    }

    @Test func `a rename is looked at at once, and after a walk`() {
        var script = Script()
        #expect(script.note(.movedIn) == true)
        #expect(script.due == .zero)
        #expect(script.takeDue() == true)
        #expect(script.takeDue() == false)
        #expect(script.look(.content) == .settled)
    }

    @Test func `a writer holds the look until it closes`() {
        var script = Script()
        script.note(.modified(.entry), .modified(.inode))
        #expect(script.due == .seconds(2))
        #expect(script.look(.content) == nil)
        script.wait(300)
        script.note(.closed(.entry))
        #expect(script.look(.content) == nil, "the same close is yet to come on the other watch")
        script.note(.closed(.inode))
        #expect(script.due == .milliseconds(300))
        #expect(script.look(.content) == .settled)
        #expect(script.due == nil)
    }

    @Test func `the end of one writer is not taken for that of the next`() {
        var script = Script()
        script.note(.modified(.entry), .modified(.inode), .closed(.entry), .modified(.entry), .closed(.inode))
        #expect(script.look(.content) == nil)
        script.note(.modified(.inode), .closed(.entry), .closed(.inode))
        #expect(script.look(.content) == .settled)
    }

    @Test func `a writer that does not close is given two seconds from its first write, whatever it writes`() {
        var script = Script()
        script.note(.modified(.inode))
        for _ in 0..<19 {
            script.wait(100)
            script.note(.modified(.inode))
            #expect(script.look(.content) == nil)
        }
        #expect(script.due == .seconds(2))
        script.wait(100)
        #expect(script.takeDue() == true)
        #expect(script.look(.content) == .settled)
        script.note(.modified(.inode))
        #expect(script.due == .seconds(4), "a new write is given as long again")
    }

    @Test func `an overdue writer that writes during the look is looked at again, not waited for`() {
        var script = Script()
        script.note(.modified(.inode))
        script.wait(2000)
        #expect(script.look(.content, meanwhile: .modified(.inode)) == .unsettled)
        #expect(script.due == .milliseconds(2050))
        script.wait(50)
        #expect(script.look(.content) == .settled)
    }

    @Test func `bytes read while a writer wrote are discarded`() {
        var script = Script()
        #expect(script.look(.content, meanwhile: .modified(.inode)) == .unsettled)
        #expect(script.due == .seconds(2))
        script.note(.closed(.inode))
        #expect(script.look(.content, isLast: false, meanwhile: .modified(.inode), .closed(.inode)) == .again)
        #expect(script.look(.changed) == .unsettled)
        #expect(script.due == .milliseconds(50))
        script.wait(50)
        #expect(script.look(.content) == .settled)
    }

    @Test func `a file replaced during every look is taken in the end, and looked at again`() {
        var script = Script()
        #expect(script.look(.content, isLast: false, meanwhile: .movedIn) == .again)
        #expect(script.look(.content, isCurrent: false, isLast: false) == .again)
        #expect(script.look(.content, isCurrent: false, meanwhile: .movedIn) == .settled)
        #expect(script.due == .zero)
    }

    @Test func `a new entry is given 50 ms, or until it is closed`() {
        var script = Script()
        script.note(.created)
        #expect(script.due == .milliseconds(50))
        script.wait(49)
        #expect(script.look(.content) == nil)
        script.note(.modified(.entry))
        script.wait(10)
        #expect(script.look(.content) == nil)
        script.note(.closed(.entry))
        #expect(script.due == .milliseconds(59))
        #expect(script.look(.content) == .settled)
    }

    @Test func `attributes are looked at after 50 ms of the first change, and hold nothing`() {
        var script = Script()
        script.note(.attributes)
        script.wait(30)
        script.note(.attributes)
        #expect(script.due == .milliseconds(50))
        #expect(script.look(.content) == .settled)
        #expect(script.due == nil)
        script.note(.movedIn, .attributes)
        #expect(script.due == .milliseconds(30), "what is due at once stays due at once")
    }

    @Test func `attributes that change during a look are looked at all the same`() {
        var script = Script()
        #expect(script.look(.content, meanwhile: .attributes) == .settled)
        #expect(script.due == .milliseconds(50))
    }

    @Test func `a file that is gone is missing after 150 ms, counted from its going`() {
        var script = Script()
        script.note(.gone(.entry))
        #expect(script.due == .milliseconds(150))
        script.wait(100)
        #expect(script.look(.missing) == .unsettled)
        #expect(script.due == .milliseconds(150))
        script.wait(50)
        #expect(script.look(.missing) == .settled)
        #expect(script.due == nil)
        script.note(.attributes)
        #expect(script.look(.missing) == .settled, "what is missing already needs no grace")
    }

    @Test func `a file that is made again within the grace is not missing`() {
        var script = Script()
        script.note(.gone(.entry), .gone(.inode))
        script.wait(100)
        script.note(.created, .modified(.entry), .closed(.entry))
        #expect(script.look(.content) == .settled)
        script.note(.gone(.entry))
        #expect(script.due == .milliseconds(250), "the next going has a grace of its own")
    }

    @Test func `the old inode that goes after a rename puts nothing off`() {
        var script = Script()
        script.note(.movedIn, .attributes, .gone(.inode))
        #expect(script.due == .zero)
        #expect(script.look(.content) == .settled)
        #expect(script.due == nil)
    }

    @Test func `a file that never was is missing at the first look, an unreadable one unreadable`() {
        var script = Script(settledOn: nil)
        #expect(script.look(.missing) == .settled)
        var other = Script(settledOn: nil)
        #expect(other.look(.trouble) == .settled)
    }

    @Test func `a file of no length is held 500 ms without events, also at the first look`() {
        for finding in [LookSchedule.Finding.content, .missing, nil] {
            var script = Script(settledOn: finding)
            #expect(script.look(.empty) == .unsettled)
            #expect(script.due == .milliseconds(500))
            script.wait(400)
            script.note(.closed(.inode))
            #expect(script.look(.empty) == .unsettled)
            #expect(script.due == .milliseconds(900))
            script.wait(500)
            #expect(script.look(.empty) == .settled)
            #expect(script.look(.empty) == .settled)
        }
    }

    @Test func `a file touched for ever is empty after two seconds all the same`() {
        var script = Script()
        var verdict = script.look(.empty)
        for _ in 0..<20 where verdict == .unsettled {
            script.wait(100)
            script.note(.attributes)
            verdict = script.look(.empty)
        }
        #expect(verdict == .settled)
        #expect(script.now - (script.now - .seconds(2)) == .seconds(2))
    }

    @Test func `trouble is given 50 ms, since modes are often set after the rename`() {
        var script = Script()
        script.note(.movedIn)
        #expect(script.look(.trouble) == .unsettled)
        #expect(script.due == .milliseconds(50))
        script.wait(50)
        #expect(script.look(.trouble) == .settled)
    }

    @Test func `a want that passes without an event is looked at again`() {
        var script = Script(settledOn: .trouble)
        #expect(script.look(.shortage) == .unsettled)
        script.wait(50)
        #expect(script.look(.shortage) == .settled)
        #expect(script.due == .milliseconds(550))
    }

    @Test func `lost events mean a walk and a look, and forget the writer whose close may be among them`() {
        var script = Script()
        #expect(script.note(.modified(.inode)) == false)
        #expect(script.note(.eventsLost) == true)
        script.wait(50)
        #expect(script.look(.content) == .settled)
    }

    @Test func `without events a change counts when two looks agree`() {
        var script = Script()
        script.schedule.hasEvents = false
        script.note(.signatureChanged)
        #expect(script.due == .milliseconds(50))
        script.wait(50)
        let first = signature(1)
        let second = signature(2)
        #expect(look(&script, first) == .unsettled)
        script.wait(50)
        #expect(look(&script, second) == .unsettled)
        script.wait(49)
        #expect(look(&script, second) == .unsettled)
        script.wait(1)
        #expect(look(&script, second) == .settled)
        #expect(look(&script, second) == .settled, "what counted once counts at once")
    }

    @Test func `with events a look that an event has caused needs no second one`() {
        var script = Script()
        script.note(.signatureChanged)
        script.note(.movedIn)
        #expect(look(&script, signature(1)) == .settled)
    }

    @Test func `a poll says nothing while a writer is at work`() {
        var script = Script()
        script.note(.modified(.inode), .signatureChanged)
        #expect(script.due == .seconds(2))
    }

    private func look(_ script: inout Script, _ signature: FileSignature) -> LookSchedule.Verdict? {
        guard let look = script.schedule.beginLook(at: script.now) else { return nil }
        return script.schedule.judge(
            .content, signature: signature, isCurrent: true, of: look, isLast: true, at: script.now)
    }

    private func signature(_ inode: UInt64) -> FileSignature {
        var status = stat()
        status.st_ino = ino_t(inode)
        return FileSignature(status)
    }
}
