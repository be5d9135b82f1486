package millrace.interop;

import io.aeron.Aeron;
import io.aeron.FragmentAssembler;
import io.aeron.Subscription;
import org.agrona.concurrent.SleepingMillisIdleStrategy;

import java.util.ArrayList;
import java.util.List;

/**
 * Subscribes to many streams: `directory channel streamIds count length`. Prints `subscribed`, and `received <sum>` when
 * it has had `count` messages in order on each stream and nothing else; then it stays until its input ends. Or prints
 * `failed <reason>` and ends with exit code 1.
 */
public final class Witness
{
    private final Subscription subscription;
    private final FragmentAssembler assembler;
    private long number;
    private String failure;

    private Witness(final Subscription subscription, final int[] lengths)
    {
        this.subscription = subscription;
        assembler = new FragmentAssembler((buffer, offset, length, header) ->
        {
            final String wrong = Messages.check(buffer, offset, length, number, lengths);
            failure = null == failure && null != wrong ? "stream " + subscription.streamId() + ": " + wrong : failure;
            number++;
        });
    }

    public static void main(final String[] args) throws Exception
    {
        final long count = Long.parseLong(args[3]);
        final int[] lengths = Messages.lengths(args[4]);
        final SleepingMillisIdleStrategy idle = new SleepingMillisIdleStrategy(1);
        final List<Witness> witnesses = new ArrayList<>();
        String failure = null;

        try (Aeron aeron = Aeron.connect(new Aeron.Context().aeronDirectoryName(args[0])))
        {
            for (final int streamId : Messages.lengths(args[2]))
            {
                witnesses.add(new Witness(aeron.addSubscription(args[1], streamId), lengths));
            }
            System.out.println("subscribed");
            while (null == failure && witnesses.stream().anyMatch(witness -> witness.number < count))
            {
                int fragments = 0;
                for (final Witness witness : witnesses)
                {
                    fragments += witness.subscription.poll(witness.assembler, 64);
                    failure = null == failure ? witness.failure : failure;
                }
                idle.idle(fragments);
            }
            if (null != failure)
            {
                System.out.println("failed " + failure);
                System.exit(1);
            }
            System.out.println("received " + witnesses.stream().mapToLong(witness -> witness.number).sum());
            System.in.read();
        }
    }
}
