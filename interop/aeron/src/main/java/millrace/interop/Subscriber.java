package millrace.interop;

import io.aeron.Aeron;
import io.aeron.FragmentAssembler;
import io.aeron.Subscription;
import org.agrona.concurrent.YieldingIdleStrategy;

/**
 * Checks numbered messages: `directory channel streamId count lengths`. Prints `subscribed`, then `received <count>`, or
 * `failed <reason>` with exit code 1.
 */
public final class Subscriber
{
    private static String failure;
    private static long number;

    public static void main(final String[] args) throws Exception
    {
        final long count = Long.parseLong(args[3]);
        final int[] lengths = Messages.lengths(args[4]);
        final YieldingIdleStrategy idle = new YieldingIdleStrategy();
        final FragmentAssembler assembler = new FragmentAssembler((buffer, offset, length, header) ->
        {
            final String wrong = Messages.check(buffer, offset, length, number, lengths);
            failure = null == failure ? wrong : failure;
            number++;
        });

        try (Aeron aeron = Aeron.connect(new Aeron.Context().aeronDirectoryName(args[0]));
            Subscription subscription = aeron.addSubscription(args[1], Integer.parseInt(args[2])))
        {
            System.out.println("subscribed");
            while (number < count && null == failure)
            {
                idle.idle(subscription.poll(assembler, 64));
            }
        }
        System.out.println(null == failure ? "received " + number : "failed " + failure);
        System.exit(null == failure ? 0 : 1);
    }
}
